"""A conformance kit for agent-memory stores: `pytest --memory-store=package.module:factory`."""
