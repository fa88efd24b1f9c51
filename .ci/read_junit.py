#!/usr/bin/env python3
"""Read a run's junit.xml with two readers, and compare with result.json what they found.

    .ci/read_junit.py REPORT_DIR

REPORT_DIR is what `lance-namespace-conformance --report DIR` wrote. The readers are Python's own for XML,
which knows nothing of JUnit, and junitparser, which many tools are built on.
"""

import argparse
import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import junitparser

# How a scenario's status stands in JUnit XML.
OUTCOMES = {"fail": "failure", "error": "error", "unsupported": "skipped", "pass": "", "warn": ""}


def by_xml(path: Path) -> dict[str, str]:
    """Each test case's name, and the element that says how it came out."""
    root = ElementTree.parse(path).getroot()
    found = {}
    for suite in root.iter("testsuite"):
        for case in suite.iter("testcase"):
            outcome = [part.tag for part in case if part.tag in ("failure", "error", "skipped")]
            if case.get("classname") != suite.get("name"):
                raise SystemExit(f"{case.get('name')} stands in the suite {suite.get('name')}")
            found[str(case.get("name"))] = "".join(outcome)
    return found


def by_junitparser(path: Path) -> dict[str, str]:
    kinds = {junitparser.Failure: "failure", junitparser.Error: "error", junitparser.Skipped: "skipped"}
    return {
        case.name: "".join(kinds[type(outcome)] for outcome in case.result)
        for suite in junitparser.JUnitXml.fromfile(str(path))
        for case in suite
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", type=Path, metavar="REPORT_DIR")
    options = parser.parse_args()
    result = json.loads((options.reports / "result.json").read_text())
    expected = {scenario["id"]: OUTCOMES[scenario["status"]] for scenario in result["scenarios"]}
    expected |= {left_out["id"]: "skipped" for left_out in result["left_out"]}
    path = options.reports / "junit.xml"
    for reader in (by_xml, by_junitparser):
        found = reader(path)
        if found != expected:
            wrong = sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))
            print(f"{path}: {reader.__name__} finds otherwise: {', '.join(wrong)}")
            return 1
    print(f"{path}: both readers find {len(expected)} test cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
