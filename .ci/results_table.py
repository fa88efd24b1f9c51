#!/usr/bin/env python3
"""Write what real servers were found to do as tables, into README.md and docs/book/servers.md.

    .ci/results_table.py            writes them, between their markers
    .ci/results_table.py --check    exit 1 where one is not as it would be written

They are made from conformance/results/servers.toml and the outcome of each server in it.
"""

import argparse
import sys
import tomllib
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
RESULTS = "conformance/results"
COUNTS = ("pass", "warn", "fail", "unsupported", "sometimes", "error")
# In the order of the suite.
TIERS = ("basic", "tables", "versions", "batch", "branches", "tags", "data", "transactions")

Server = dict[str, Any]


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def summary(servers: list[Server]) -> str:
    """A line a server, for README.md: its counts, and where to read on."""
    rows = []
    for server in servers:
        outcome = server["outcome"]
        row = [server["title"], outcome["verdict"]]
        row += [str(outcome["counts"][count]) for count in COUNTS]
        rows.append([*row, f"[outcome]({RESULTS}/{server['folder']}/outcome.toml)"])
    return table(["server", "verdict", *COUNTS, "what it does"], rows)


def tier(counts: dict[str, int]) -> str:
    """How a tier went, from the worst that is certain; a dash where the server lacks it."""
    played = sum(counts.get(count, 0) for count in COUNTS if count != "unsupported")
    if not played:
        return "–" if counts else ""
    words = [f"{counts[count]} {count}" for count in ("fail", "warn", "sometimes", "error") if count in counts]
    return f"{counts.get('pass', 0)} of {played}" + (f" ({', '.join(words)})" if words else "")


def in_detail(servers: list[Server]) -> str:
    """A line a server, for the book: how it is set up, and how each tier went."""
    setups = [[server["title"], server["set_up"], f"`{server['folder']}`"] for server in servers]
    tiers = [
        [server["title"], *(tier(server["outcome"]["tiers"].get(name, {})) for name in TIERS)]
        for server in servers
    ]
    return table(["server", "set up as", "folder"], setups) + "\n" + table(["passed", *TIERS], tiers)


PAGES = {"README.md": summary, "docs/book/servers.md": in_detail}


def between_markers(page: str, written: str) -> str:
    """`page` with `written` between its two markers, which stay."""
    begin, end = "<!-- results: made by .ci/results_table.py -->\n", "<!-- end of results -->"
    head, found, rest = page.partition(begin)
    old, found_end, tail = rest.partition(end)
    if not found or not found_end:
        raise SystemExit(f"no place between {begin.strip()} and {end}")
    return head + begin + "\n" + written + "\n" + end + tail


def read_servers(results: Path) -> list[Server]:
    servers = tomllib.loads((results / "servers.toml").read_text())["server"]
    for server in servers:
        server["outcome"] = tomllib.loads((results / server["folder"] / "outcome.toml").read_text())
    folders = {path.name for path in results.iterdir() if path.is_dir()}
    if unknown := folders - {server["folder"] for server in servers}:
        raise SystemExit(f"{results}: not in servers.toml: {', '.join(sorted(unknown))}")
    return servers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, and say what is not current")
    options = parser.parse_args()
    servers = read_servers(REPOSITORY / RESULTS)
    stale = []
    for name, made in PAGES.items():
        path = REPOSITORY / name
        page = path.read_text()
        written = between_markers(page, made(servers))
        if written != page:
            stale.append(name)
            if not options.check:
                path.write_text(written)
    if options.check and stale:
        print(f"not current, write with .ci/results_table.py: {', '.join(stale)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
