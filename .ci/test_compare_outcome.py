#!/usr/bin/env python3
"""Each kind of drift from a committed outcome is seen, and what may vary is not.

python3 .ci/test_compare_outcome.py
"""

import copy
import json
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

import compare_outcome

VERSIONS = {"suite": "0.1.0", "protocol": "0.13.0"}


def scenario(name: str, status: str, *findings: tuple[str, str], tier: str = "versions") -> dict:
    return {
        "id": name,
        "tier": tier,
        "status": status,
        "requirements": [requirement for requirement, _ in findings],
        "findings": [
            {
                "requirement": requirement,
                "level": level,
                "expected": "1 ok",
                "actual": "2 ok",
                "exchanges": [],
            }
            for requirement, level in findings
        ],
        "observations": [],
        "seconds": 0.1,
    }


def result() -> dict:
    return {
        "schema": 1,
        "verdict": "violation",
        "planned": 5,
        "executed": 5,
        "seed": 1,
        "run": "r",
        "server": {"url": "http://127.0.0.1:1", "tiers": {"versions": "yes", "batch": "no"}},
        "scenarios": [
            scenario("one-winner", "pass"),
            scenario("lists", "fail", ("PAGE-2", "must")),
            scenario("metadata", "warn", ("VER-10", "should")),
            scenario("mixed-schemes", "fail", ("VER-4", "must")),
            scenario("batch", "unsupported", ("REST-12", "should"), tier="batch"),
        ],
    }


def outcome() -> dict:
    """The outcome of `result()`, written by the script, with reasons, as a person would."""
    text = compare_outcome.written(result(), {}, "some-server", VERSIONS)
    recorded = tomllib.loads(text)
    for row in recorded["finding"]:
        row["reason"] = f"why {row['requirement']} is broken"
        if row["scenario"] == "mixed-schemes":
            row["sometimes"] = "a race"
    return tomllib.loads(compare_outcome.written(result(), recorded, "", VERSIONS))


class CompareOutcome(unittest.TestCase):
    def setUp(self) -> None:
        self.result = result()
        self.outcome = outcome()

    def scenario(self, name: str) -> dict:
        return next(each for each in self.result["scenarios"] if each["id"] == name)

    def lines(self, versions: dict[str, str] = VERSIONS) -> list[str]:
        return compare_outcome.compare(self.result, self.outcome, versions)

    def assert_drift(self, *starts: str) -> None:
        lines = self.lines()
        self.assertEqual(len(lines), len(starts), lines)
        for line, start in zip(lines, starts, strict=True):
            self.assertTrue(line.startswith(start), line)

    def test_findings_with_one_reason_are_one_row(self) -> None:
        self.result["scenarios"].append(
            scenario("more-batch", "unsupported", ("REST-12", "should"), tier="batch")
        )
        self.result["planned"] = self.result["executed"] = 6
        recorded = tomllib.loads(compare_outcome.written(self.result, self.outcome, "", VERSIONS))
        for row in recorded["finding"]:
            row["reason"] = f"why {row['requirement']} is broken"
        self.outcome = tomllib.loads(compare_outcome.written(self.result, recorded, "", VERSIONS))
        together = self.outcome["finding"][0]
        self.assertEqual(together["scenarios"], ["batch", "more-batch"])
        self.assertEqual(self.lines(), [])
        self.result["scenarios"][-1]["findings"] = []
        self.assert_drift("- more-batch: REST-12")

    def test_the_same_run_is_as_recorded(self) -> None:
        self.assertEqual(self.lines(), [])

    def test_a_finding_that_is_not_listed(self) -> None:
        self.scenario("lists")["findings"].append(
            {"requirement": "PAGE-1", "level": "must", "expected": "a", "actual": "b"}
        )
        self.assert_drift("+ lists: PAGE-1 (must): expected a, got b")

    def test_the_same_finding_in_another_scenario_is_not_listed(self) -> None:
        self.scenario("metadata")["findings"].append(self.scenario("lists")["findings"][0])
        self.assert_drift("+ metadata: PAGE-2 (must)")

    def test_another_level_is_another_finding(self) -> None:
        self.scenario("lists")["findings"][0]["level"] = "should"
        self.assert_drift("+ lists: PAGE-2 (should)", "- lists: PAGE-2 (must)")

    def test_a_listed_finding_that_is_missing(self) -> None:
        self.scenario("lists")["findings"] = []
        self.assert_drift("- lists: PAGE-2 (must): listed, but did not show")

    def test_a_sometimes_finding_may_be_missing(self) -> None:
        self.result["scenarios"][3] = scenario("mixed-schemes", "pass")
        self.assertEqual(self.lines(), [])

    def test_an_unlisted_finding_beside_a_sometimes_finding(self) -> None:
        self.result["scenarios"][3] = scenario("mixed-schemes", "fail", ("VER-3", "must"))
        self.assert_drift("+ mixed-schemes: VER-3 (must)")

    def test_a_sometimes_finding_beside_one_that_always_fails_keeps_its_status_counted(
        self,
    ) -> None:
        self.outcome["finding"].append(
            {
                "scenario": "mixed-schemes",
                "requirement": "VER-3",
                "level": "must",
                "reason": "always",
            }
        )
        self.result["scenarios"][3] = scenario("mixed-schemes", "fail", ("VER-3", "must"))
        self.outcome["counts"].update(sometimes=0, fail=2)
        self.outcome["tiers"]["versions"] = {"pass": 1, "warn": 1, "fail": 2}
        self.assertEqual(self.lines(), [])

    def test_other_counts_and_tiers(self) -> None:
        self.scenario("one-winner")["status"] = "unsupported"
        self.assert_drift(
            "~ counts.pass: recorded 1, now 0",
            "~ counts.unsupported: recorded 1, now 2",
            "~ tiers.versions.pass",
            "~ tiers.versions.unsupported",
        )

    def test_a_scenario_that_moves_to_another_tier(self) -> None:
        self.scenario("one-winner")["tier"] = "batch"
        self.assert_drift("~ tiers.batch.pass", "~ tiers.versions.pass")

    def test_other_probed_tiers(self) -> None:
        self.result["server"]["tiers"]["batch"] = "yes"
        self.assert_drift("~ probed.batch: recorded no, now yes")

    def test_another_verdict(self) -> None:
        self.result["verdict"] = "conformant"
        self.assert_drift("~ verdict: recorded violation, now conformant")

    def test_other_versions(self) -> None:
        lines = self.lines({"suite": "0.2.0", "protocol": "0.13.0"})
        self.assertEqual(lines, ["~ suite: recorded 0.1.0, now 0.2.0"])

    def test_fewer_scenarios_ran_than_planned(self) -> None:
        self.result["executed"] = 4
        self.assert_drift("! incomplete: 4 of 5 scenarios ran")

    def test_fewer_scenarios_are_reported_than_planned(self) -> None:
        del self.result["scenarios"][3]
        self.assertIn("! incomplete: 4 of 5 scenarios are reported", self.lines())

    def test_an_inconclusive_run(self) -> None:
        self.result["verdict"] = "inconclusive"
        self.assertIn("! incomplete: the verdict is inconclusive", self.lines())

    def test_an_error_is_incomplete_even_where_findings_are_listed_as_sometimes(self) -> None:
        self.scenario("mixed-schemes")["status"] = "error"
        self.assert_drift("! incomplete: mixed-schemes ended in an error")

    def with_a_known_error(self) -> None:
        """The outcome of a run in which one scenario could not be played."""
        self.scenario("one-winner")["status"] = "error"
        self.result["executed"] = 4
        recorded = compare_outcome.written(self.result, self.outcome, "", VERSIONS)
        self.outcome = tomllib.loads(recorded)
        self.assert_drift("! one-winner: the error gives no reason")
        self.outcome["error"][0]["reason"] = "it wants what the server has not"

    def test_a_known_error(self) -> None:
        self.with_a_known_error()
        self.assertEqual(self.lines(), [])
        rewritten = compare_outcome.written(self.result, self.outcome, "", VERSIONS)
        self.assertEqual(tomllib.loads(rewritten), self.outcome)

    def test_a_known_error_that_was_played(self) -> None:
        self.with_a_known_error()
        self.scenario("one-winner")["status"] = "pass"
        self.result["executed"] = 5
        self.assert_drift(
            "- one-winner: listed as an error",
            "~ counts.error: recorded 1, now 0",
            "~ counts.pass: recorded 0, now 1",
            "~ tiers.versions.error",
            "~ tiers.versions.pass",
        )

    def test_an_error_beside_a_known_one(self) -> None:
        self.with_a_known_error()
        self.scenario("metadata")["status"] = "error"
        self.assertIn("! incomplete: metadata ended in an error", self.lines())

    def test_a_sometimes_scenario_that_became_unsupported(self) -> None:
        self.result["scenarios"][3] = scenario("mixed-schemes", "unsupported")
        self.assert_drift("! incomplete: mixed-schemes is unsupported")

    def test_a_tier_that_was_not_recorded(self) -> None:
        self.result["scenarios"].append(scenario("tags", "pass", tier="tags"))
        self.result["planned"] = self.result["executed"] = 6
        self.assert_drift(
            "~ counts.pass: recorded 1, now 2",
            "~ tiers.tags.pass: recorded nothing, now 1",
        )

    def test_a_row_without_a_reason(self) -> None:
        self.outcome["finding"][0]["reason"] = ""
        self.assert_drift("! batch: REST-12 (should): the row gives no reason")

    def test_a_row_with_an_empty_sometimes(self) -> None:
        self.outcome["finding"][-1]["sometimes"] = ""
        self.assert_drift("! mixed-schemes: VER-4 (must): the row gives no sometimes")

    def test_a_row_that_stands_twice(self) -> None:
        self.outcome["finding"].append(copy.deepcopy(self.outcome["finding"][0]))
        self.assert_drift("! batch: REST-12 (should): listed twice")


class Write(unittest.TestCase):
    def test_reasons_stay_new_rows_have_none_and_gone_rows_go(self) -> None:
        run = result()
        run["scenarios"][1] = scenario("lists", "fail", ("PAGE-1", "must"))
        run["scenarios"][3] = scenario("mixed-schemes", "pass")
        rewritten = tomllib.loads(compare_outcome.written(run, outcome(), "", VERSIONS))
        rows = {row["requirement"]: row for row in rewritten["finding"]}
        self.assertEqual(rows["VER-10"]["reason"], "why VER-10 is broken")
        self.assertEqual(rows["VER-4"]["sometimes"], "a race")
        self.assertEqual(rows["PAGE-1"]["reason"], "")
        self.assertNotIn("PAGE-2", rows)
        self.assertEqual(rewritten["server"], "some-server")

    def test_what_another_server_has_too_takes_its_reason_from_there(self) -> None:
        first, second = outcome(), outcome()
        for row in second["finding"]:
            row["reason"] = "as the second says"
        first["finding"] = [row for row in first["finding"] if row["requirement"] != "PAGE-2"]
        own = outcome()
        own["finding"] = [row | {"reason": "own"} for row in own["finding"][:1]]
        text = compare_outcome.written(result(), own, "", VERSIONS, [first, second])
        rows = {row["requirement"]: row for row in tomllib.loads(text)["finding"]}
        self.assertEqual(rows["REST-12"]["reason"], "own")
        self.assertEqual(rows["VER-10"]["reason"], "why VER-10 is broken")
        self.assertEqual(rows["VER-4"]["sometimes"], "a race")
        self.assertEqual(rows["PAGE-2"]["reason"], "as the second says")

    def test_a_finding_of_another_server_that_did_not_show_is_not_taken(self) -> None:
        run = result()
        run["scenarios"][3] = scenario("mixed-schemes", "pass")
        text = compare_outcome.written(run, {}, "", VERSIONS, [outcome()])
        rows = [row["requirement"] for row in tomllib.loads(text)["finding"]]
        self.assertEqual(rows, ["REST-12", "PAGE-2", "VER-10"])

    def test_any_text_survives(self) -> None:
        recorded = outcome()
        text = 'quotes " and \\ backslashes, é, a tab\t, a line\nbreak'
        recorded["finding"][0]["reason"] = text
        rewritten = tomllib.loads(compare_outcome.written(result(), recorded, "", VERSIONS))
        self.assertEqual(rewritten["finding"][0]["reason"], text)


class CommandLine(unittest.TestCase):
    def run_script(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        script = Path(compare_outcome.__file__)
        command = [sys.executable, script, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_written_then_reasoned_then_compared(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            run = Path(directory) / "result.json"
            run.write_text(json.dumps(result()))
            recorded = Path(directory) / "outcome.toml"

            written = self.run_script("--write", run, recorded)
            self.assertEqual(written.returncode, 0, written.stderr)
            recorded.write_text(written.stdout)
            self.assertEqual(self.run_script(run, recorded).returncode, 1)

            recorded.write_text(written.stdout.replace('reason = ""', 'reason = "why"'))
            compared = self.run_script(run, recorded)
            self.assertEqual(compared.returncode, 0, compared.stdout)
            self.assertEqual(compared.stdout, "as recorded: 4 findings, verdict violation\n")


if __name__ == "__main__":
    unittest.main()
