"""What the user chose, from the command line, else the ini file: read once, checked once.

Must not know: items, records. Whatever cannot be understood is a `pytest.UsageError` of one line.
"""

from __future__ import annotations

import secrets
import sys
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memory_store import claims, plan, store_spec
from pytest_memory_store.clauses import CATALOGUE
from pytest_memory_store.kit import Options
from pytest_memory_store.report.files import ReportError, prepare
from pytest_memory_store.report.ledger import Ledger, LedgerError
from pytest_memory_store.report.ledger import load as load_ledger
from pytest_memory_store.store_spec import FIXTURE_SPEC, StoreSpec, StoreSpecError

if TYPE_CHECKING:
    from collections.abc import Callable

CONFORMANT = "conformant"


@dataclass(frozen=True, slots=True)
class Settings:
    """The choices of one session. `stores` pairs each store with its options; `report` is the folder for reports."""

    stores: tuple[tuple[StoreSpec, Options], ...]
    timeout: float
    strict: bool
    require_conformant: bool
    report: Path | None
    ledger: Ledger

    def report_folder(self, spec: StoreSpec) -> Path | None:
        """Where a store's report goes: the folder given, or one in it per store where there are several."""
        if self.report is None:
            return None
        return self.report / spec.slug if len(self.stores) > 1 else self.report


def read(config: pytest.Config, texts: list[str]) -> Settings:
    """The settings of a session that judges the stores of these specs.

    Raises:
        pytest.UsageError: an option, a spec, a claim or the ledger cannot be understood.
    """
    try:
        return _Reader(config).read(texts)
    except (StoreSpecError, claims.ClaimError, plan.BudgetError, LedgerError, ReportError) as error:
        raise pytest.UsageError(str(error)) from None


@dataclass(frozen=True, slots=True)
class _Reader:
    config: pytest.Config

    def option(self, name: str) -> Any:
        """The command line's value, else the ini file's, else `None`."""
        key = f"memory_store_{name}"
        given = self.config.getoption(key)
        return given if given is not None else (self.config.getini(key) or None)

    def read(self, texts: list[str]) -> Settings:
        specs = [self._spec(text) for text in texts]
        repeated = {spec.slug for spec in specs if [other.slug for other in specs].count(spec.slug) > 1}
        if repeated:
            raise StoreSpecError(f"--memory-store: {', '.join(sorted(repeated))} is given more than once")
        seed = self._number("seed", int, secrets.randbelow(10**9), lambda value: value >= 0, "a whole number from 0")
        timeout = self._number("timeout", float, 10.0, lambda value: 0 < value < 86_400, "a number of seconds above 0")
        strict = bool(self.option("strict"))
        stores = tuple((spec, self._options(spec, specs, seed, timeout, strict=strict)) for spec in specs)
        report = self.option("report")
        ledger = self.option("known_failures")
        return Settings(
            stores=stores,
            timeout=timeout,
            strict=strict,
            require_conformant=self._required(),
            report=self._folder(report) if report else None,
            ledger=load_ledger(Path(ledger), CATALOGUE) if ledger else Ledger(),
        )

    def _spec(self, text: str) -> StoreSpec:
        if text == FIXTURE_SPEC:
            return StoreSpec(text, None, _from_fixture, FIXTURE_SPEC, ("memory_store_factory",))
        here = str(self.config.invocation_params.dir)
        if here not in sys.path:
            sys.path.insert(0, here)
        return store_spec.load(text)

    def _options(self, spec: StoreSpec, specs: list[StoreSpec], seed: int, timeout: float, *, strict: bool) -> Options:
        given: list[str] = self.option("claims") or []
        texts = [text for item in given if (text := _claims_for(item, spec, specs))]
        claimed = claims.parse(",".join(texts))
        claims.collect(spec.claims, claimed)
        budget = plan.choose(self.option("budget") or "standard")
        return Options(budget=budget, seed=seed, timeout=timeout, claims=claimed, strict=strict)

    def _number(self, name: str, kind: type, default: Any, fits: Callable[[Any], bool], expected: str) -> Any:
        text = self.option(name)
        if text is None:
            return default
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not fits(value):
            raise pytest.UsageError(f"--memory-store-{name}={text}: expected {expected}")
        return value

    def _folder(self, text: str) -> Path:
        folder = self.config.invocation_params.dir / text
        prepare(folder)
        return folder

    def _required(self) -> bool:
        value = self.option("require")
        if value not in (None, CONFORMANT):
            raise pytest.UsageError(f"--memory-store-require={value}: expected {CONFORMANT}")
        return bool(value == CONFORMANT)


def today() -> date:
    """The day against which the ledger's entries expire."""
    return date.today()


def _from_fixture() -> None:
    raise AssertionError("the fixture memory_store_factory gives the factory")


def _claims_for(item: str, spec: StoreSpec, specs: list[StoreSpec]) -> str:
    """The claims in one option value that are meant for this store: all of them, or those after `SPEC=`.

    Raises:
        ClaimError: the value begins with a spec that is not given.
    """
    head, separator, rest = item.partition("=")
    texts = [known.text for known in specs]
    if separator and (head in texts or ":" in head):
        if head not in texts:
            raise claims.ClaimError(f"--memory-store-claims={item}: no --memory-store={head} is given")
        return rest if head == spec.text else ""
    return item
