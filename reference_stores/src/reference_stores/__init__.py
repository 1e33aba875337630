"""Reference stores for the `MemoryStore` contract of Pydantic AI Harness."""
