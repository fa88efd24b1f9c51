#!/usr/bin/env python3
"""The tables of real servers say what the outcomes say.

python3 .ci/test_results_table.py
"""

import tempfile
import unittest
from pathlib import Path

import results_table

SERVER = {
    "folder": "some-server-1",
    "title": "Some server 1",
    "set_up": "as it comes",
    "outcome": {
        "verdict": "violation",
        "counts": {"pass": 7, "warn": 1, "fail": 2, "unsupported": 3, "error": 5, "sometimes": 4},
        "tiers": {
            "basic": {"pass": 7, "warn": 1, "fail": 2, "unsupported": 1},
            "batch": {"unsupported": 2},
            "versions": {"sometimes": 4, "error": 5},
        },
    },
}


class ResultsTable(unittest.TestCase):
    def test_a_line_has_the_counts_and_the_folder(self) -> None:
        line = results_table.summary([SERVER]).splitlines()[2]
        link = "[outcome](conformance/results/some-server-1/outcome.toml)"
        self.assertEqual(line, f"| Some server 1 | violation | 7 | 1 | 2 | 3 | 4 | 5 | {link} |")

    def test_a_tier_says_what_passed_of_what_was_played(self) -> None:
        line = results_table.in_detail([SERVER]).splitlines()[-1]
        tiers = "7 of 10 (2 fail, 1 warn) |  | 0 of 9 (4 sometimes, 5 error) | – |  |  |  |  |"
        self.assertEqual(line, f"| Some server 1 | {tiers}")

    def test_what_is_around_the_markers_stays(self) -> None:
        begin, end = "<!-- results: made by .ci/results_table.py -->", "<!-- end of results -->"
        page = f"before\n{begin}\nold\n{end}\nafter\n"
        written = results_table.between_markers(page, "new\n")
        self.assertEqual(written, f"before\n{begin}\n\nnew\n\n{end}\nafter\n")
        self.assertEqual(results_table.between_markers(written, "new\n"), written)

    def test_a_page_without_markers_is_refused(self) -> None:
        with self.assertRaises(SystemExit):
            results_table.between_markers("no place here\n", "new\n")

    def test_a_folder_that_is_not_described_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            results = Path(directory)
            (results / "servers.toml").write_text("server = []\n")
            self.assertEqual(results_table.read_servers(results), [])
            (results / "forgotten").mkdir()
            with self.assertRaises(SystemExit):
                results_table.read_servers(results)


if __name__ == "__main__":
    unittest.main()
