"""What every client is checked with."""

import json
import secrets
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lance_namespace_urllib3_client.exceptions import ApiException


class Checks:
    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0
        self._section = ""

    def _record(self, name: str, fault: str | None) -> None:
        if fault is None:
            self.passed += 1
            print(f"ok    {self._section}: {name}")
        else:
            self.failed += 1
            print(f"FAIL  {self._section}: {name}: {' '.join(fault.split())}")

    def equal(self, name: str, actual: Any, expected: Any) -> None:
        fault = None if actual == expected else f"got {actual!r}, expected {expected!r}"
        self._record(name, fault)

    def succeeds(self, name: str, call: Callable[[], Any]) -> None:
        try:
            call()
        except Exception as error:
            self._record(name, f"{type(error).__name__}: {error}")
        else:
            self._record(name, None)

    def raises(
        self, name: str, expected: type[Exception], code: int, call: Callable[[], Any]
    ) -> None:
        """`call` raises exactly `expected`, and the error carries the Lance code."""
        try:
            answer = call()
        except Exception as error:
            got = (type(error).__name__, lance_code(error))
            self.equal(name, got, (expected.__name__, code))
        else:
            self._record(name, f"no error but {answer!r}")

    def raises_any(self, name: str, call: Callable[[], Any]) -> None:
        """`call` raises, with whatever its client has for that."""
        try:
            answer = call()
        except Exception:
            self._record(name, None)
        else:
            self._record(name, f"no error but {answer!r}")

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        """Where a call fails that should succeed, the rest of its section is skipped."""
        self._section = name
        try:
            yield
        except Exception as error:
            self._record("stopped", f"{type(error).__name__}: {error}")


def lance_code(error: Exception) -> int | None:
    if isinstance(error, ApiException):
        return json.loads(error.body)["code"]
    return getattr(error, "code", None)


def staged(location: str, name: str) -> str:
    """A manifest path at the table's location, without scheme and leading slash.

    Some servers want a file with bytes of its own there: where the location is a directory
    of this machine, it is written.
    """
    url = urllib.parse.urlsplit(location)
    directory = Path(urllib.parse.unquote(url.path))
    path = directory / "_versions" / name
    if url.scheme in ("", "file") and directory.is_dir():
        path.parent.mkdir(exist_ok=True)
        path.write_text(secrets.token_hex())
    return str(path).removeprefix("/")
