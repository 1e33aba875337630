"""Concurrent histories: plans, schedules, linearizability."""
