"""The pytest plugin: options and hooks. Imports nothing heavy until a store is given."""
