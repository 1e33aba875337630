"""listing: as one client sees it."""

from __future__ import annotations
