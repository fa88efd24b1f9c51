#!/usr/bin/env python3
"""Compare a run's result with the outcome committed for that server.

    .ci/compare_outcome.py RESULT_JSON conformance/results/SERVER/outcome.toml
    .ci/compare_outcome.py --write [--reasons OTHER_OUTCOME]... RESULT_JSON \\
        conformance/results/SERVER/outcome.toml

RESULT_JSON is what `lance-namespace-conformance --json FILE` wrote. Exit 0 when the run is
as recorded; exit 1 with one line a difference when it is not: a finding that is not listed,
a listed one that did not show, other counts, tiers, verdict or versions, an incomplete run.

A scenario that ends in an error was not judged. One that is listed as such, in an `[[error]]` with its reason,
may; and has to.

A listed finding with a `sometimes` may show or not. A scenario whose status hangs on such a
finding is counted under `sometimes`, so that the counts do not depend on who wins a race.

--write prints the outcome file for this run instead; what stands there already keeps its
reason, and so does what the outcome of another server has, the first that has it. Any other finding gets an
empty reason, which the comparison refuses until it is written.
"""

import argparse
import json
import re
import sys
import tomllib
from collections import ChainMap, Counter
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Any, NamedTuple

STATUSES = ("pass", "warn", "fail", "unsupported", "error")
REPOSITORY = Path(__file__).resolve().parent.parent


class Key(NamedTuple):
    """What makes two findings the same row."""

    scenario: str
    requirement: str
    level: str

    def __str__(self) -> str:
        return f"{self.scenario}: {self.requirement} ({self.level})"


def keyed(row: dict[str, Any]) -> Key:
    return Key(row["scenario"], row["requirement"], row["level"])


def rows(outcome: dict[str, Any]) -> list[dict[str, Any]]:
    """The findings of an outcome, a scenario a row: a `[[finding]]` may name several."""
    return [
        row | {"scenario": scenario}
        for row in outcome.get("finding", [])
        for scenario in row.get("scenarios", [row.get("scenario")])
    ]


def listed(outcome: dict[str, Any]) -> dict[Key, dict[str, Any]]:
    return {keyed(row): row for row in rows(outcome)}


def found(result: dict[str, Any]) -> dict[Key, dict[str, Any]]:
    """The run's findings; several of one requirement in one scenario are one row."""
    return {
        Key(scenario["id"], finding["requirement"], finding["level"]): finding
        for scenario in result["scenarios"]
        for finding in scenario["findings"]
    }


def unsteady(rows: dict[Key, dict[str, Any]]) -> set[str]:
    """Scenarios whose status may change from run to run: they have a finding that shows only
    sometimes, and none that makes them fail every time."""
    sometimes = {key.scenario for key, row in rows.items() if "sometimes" in row}
    always_fail = {
        key.scenario for key, row in rows.items() if "sometimes" not in row and key.level == "must"
    }
    return sometimes - always_fail


def versions() -> dict[str, str]:
    """The suite's version and the protocol's release, from the files that define them."""
    manifest = tomllib.loads((REPOSITORY / "Cargo.toml").read_text())
    specification = (REPOSITORY / "openapi.yml").read_text()
    release = re.search(r"^x-release: (\S+)$", specification, re.MULTILINE)
    if release is None:
        raise SystemExit("openapi.yml does not say its x-release")
    return {"suite": manifest["workspace"]["package"]["version"], "protocol": release[1]}


def summary(result: dict[str, Any], apart: set[str]) -> dict[str, Any]:
    """The part of an outcome that the run alone decides."""
    counts: Counter[str] = Counter()
    tiers: dict[str, Counter[str]] = {}
    for scenario in result["scenarios"]:
        status = "sometimes" if scenario["id"] in apart else scenario["status"]
        counts[status] += 1
        tiers.setdefault(scenario["tier"], Counter())[status] += 1
    columns = (*STATUSES, "sometimes")
    return {
        "verdict": result["verdict"],
        "counts": {status: counts[status] for status in columns},
        "tiers": {
            tier: {status: by_status[status] for status in columns if by_status[status]}
            for tier, by_status in sorted(tiers.items())
        },
        "probed": result["server"]["tiers"],
    }


def known_errors(outcome: dict[str, Any]) -> dict[str, str]:
    """The scenarios that the suite cannot play against this server, and why."""
    return {row["scenario"]: row["reason"] for row in outcome.get("error", [])}


def incomplete(result: dict[str, Any], apart: set[str], known: Container[str]) -> list[str]:
    reasons = []
    listed_errors = [
        scenario["id"]
        for scenario in result["scenarios"]
        if scenario["status"] == "error" and scenario["id"] in known
    ]
    if result["executed"] + len(listed_errors) != result["planned"]:
        reasons.append(f"{result['executed']} of {result['planned']} scenarios ran")
    if len(result["scenarios"]) != result["planned"]:
        reasons.append(f"{len(result['scenarios'])} of {result['planned']} scenarios are reported")
    if result["verdict"] == "inconclusive":
        reasons.append("the verdict is inconclusive")
    for scenario in result["scenarios"]:
        if scenario["status"] not in STATUSES:
            reasons.append(f"{scenario['id']} has the unknown status {scenario['status']}")
        elif scenario["id"] in listed_errors:
            continue
        elif scenario["status"] == "error":
            reasons.append(f"{scenario['id']} ended in an error")
        elif scenario["status"] == "unsupported" and scenario["id"] in apart:
            reasons.append(f"{scenario['id']} is unsupported, though it has findings listed")
    return reasons


def brief(value: Any) -> str:
    if value is None:
        return "nothing"
    text = " ".join((value if isinstance(value, str) else json.dumps(value)).split())
    return text if len(text) <= 160 else text[:157] + "..."


def flatten(value: Any, path: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        return {path: value}
    return {
        name: leaf
        for key, child in value.items()
        for name, leaf in flatten(child, f"{path}.{key}" if path else key).items()
    }


def compare(
    result: dict[str, Any], outcome: dict[str, Any], current_versions: dict[str, str]
) -> list[str]:
    """One line a difference, nothing where the run is as recorded."""
    recorded, shown = listed(outcome), found(result)
    apart = unsteady(recorded)
    known = known_errors(outcome)
    lines = [f"! incomplete: {reason}" for reason in incomplete(result, apart, known)]
    errors = {each["id"] for each in result["scenarios"] if each["status"] == "error"}
    lines += [f"- {name}: listed as an error, but was played" for name in known.keys() - errors]
    lines += [f"! {name}: the error gives no reason" for name, why in known.items() if not why]
    lines += [
        f"+ {key}: expected {brief(finding['expected'])}, got {brief(finding['actual'])}"
        for key, finding in shown.items()
        if key not in recorded
    ]
    lines += [
        f"- {key}: listed, but did not show"
        for key, row in recorded.items()
        if key not in shown and "sometimes" not in row
    ]
    lines += [
        f"! {key}: the row gives no {word}"
        for key, row in recorded.items()
        for word in ("reason", "sometimes")
        if not row.get(word, word == "sometimes")
    ]
    lines += [
        f"! {key}: listed twice"
        for key, times in Counter(map(keyed, rows(outcome))).items()
        if times > 1
    ]
    now = flatten(current_versions | summary(result, apart))
    names = ("suite", "protocol", "verdict", "counts", "tiers", "probed")
    then = flatten({name: outcome[name] for name in names if name in outcome})
    lines += [
        f"~ {name}: recorded {brief(then.get(name))}, now {brief(now.get(name))}"
        for name in sorted(then.keys() | now.keys())
        if then.get(name) != now.get(name)
    ]
    return lines


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{toml_key(k)} = {toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    # Strings, integers and booleans are written as in JSON.
    return json.dumps(value, ensure_ascii=False)


def toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key)


def written(
    result: dict[str, Any],
    outcome: dict[str, Any],
    server: str,
    current_versions: dict[str, str],
    others: Sequence[dict[str, Any]] = (),
) -> str:
    """The outcome file for this run; reasons come from this server's outcome, and else from `others`."""
    recorded, shown = listed(outcome), found(result)
    known = ChainMap(recorded, *map(listed, others))
    findings = {
        key: known.get(key, {"reason": ""})
        for key in sorted({*shown, *(k for k, row in recorded.items() if "sometimes" in row)})
    }
    facts = summary(result, unsteady(findings))
    lines = ["# Written by .ci/compare_outcome.py --write; reasons and `sometimes` are ours."]
    head = {"server": outcome.get("server", server)} | current_versions
    head |= {name: facts[name] for name in ("verdict", "probed")}
    lines += [f"{name} = {toml(value)}" for name, value in head.items()]
    for table in ("counts", "tiers"):
        lines += ["", f"[{table}]"]
        lines += [f"{toml_key(key)} = {toml(value)}" for key, value in facts[table].items()]
    known = known_errors(outcome)
    for scenario in result["scenarios"]:
        if scenario["status"] == "error":
            why = known.get(scenario["id"], "")
            lines += ["", "[[error]]", f"scenario = {toml(scenario['id'])}", f"reason = {toml(why)}"]
    # What has one reason is one row.
    groups: dict[tuple[str, ...], list[str]] = {}
    for key, row in findings.items():
        words = (key.requirement, key.level, row["reason"], row.get("sometimes"))
        groups.setdefault(words, []).append(key.scenario)
    for (requirement, level, reason, sometimes), scenarios in groups.items():
        columns = {"requirement": requirement, "level": level, "reason": reason}
        if sometimes is not None:
            columns["sometimes"] = sometimes
        lines += ["", "[[finding]]"]
        if len(scenarios) == 1:
            columns = {"scenario": scenarios[0]} | columns
        else:
            lines += ["scenarios = [", *(f"    {toml(name)}," for name in scenarios), "]"]
        lines += [f"{name} = {toml(value)}" for name, value in columns.items()]
    return "\n".join(lines) + "\n"


def read(outcome: Path) -> dict[str, Any]:
    return tomllib.loads(outcome.read_text()) if outcome.exists() else {}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="print the outcome of this run")
    parser.add_argument(
        "--reasons", action="append", default=[], type=Path, help="outcome of another server"
    )
    parser.add_argument("result", type=Path, metavar="RESULT_JSON")
    parser.add_argument("outcome", type=Path, metavar="OUTCOME_TOML")
    options = parser.parse_args()

    result = json.loads(options.result.read_text())
    outcome = read(options.outcome)
    if options.write:
        server = options.outcome.resolve().parent.name
        others = [read(path) for path in options.reasons]
        print(written(result, outcome, server, versions(), others), end="")
        return 0
    lines = compare(result, outcome, versions())
    if lines:
        print(f"{options.outcome} does not describe this run (seed {result['seed']}):")
        print("\n".join(lines))
        return 1
    print(f"as recorded: {len(found(result))} findings, verdict {result['verdict']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
