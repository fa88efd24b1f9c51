#!/usr/bin/env python3
"""Runs the last step of action.yml as a runner of GitHub would, with a suite that is built already,
and looks at its outputs and at the job's summary.

    .ci/try_action.py SUITE     SUITE is the command lance-namespace-conformance; wants PyYAML
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml


def certify(suite, inputs):
    """The exit code, the outputs, and the summary of the step that certifies."""
    action = yaml.safe_load(Path("action.yml").read_text())
    steps = [step for step in action["runs"]["steps"] if step.get("id") == "certify"]
    (step,) = steps
    given = {name: spec["default"] for name, spec in action["inputs"].items()}
    unknown = set(inputs) - set(given)
    assert not unknown, unknown
    given |= inputs
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder) / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.touch()
        env = dict(os.environ)
        for name, value in step["env"].items():
            for of, what in given.items():
                value = value.replace("${{ inputs." + of + " }}", what)
            env[name] = value
        env |= {name: str(file) for name, file in files.items()}
        env |= {"SUITE": suite, "GITHUB_RUN_ID": "17"}
        script = Path(folder) / "step.sh"
        script.write_text(step["run"])
        bash = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
        done = subprocess.run(bash, env=env, cwd=given["working-directory"], check=False,
                              capture_output=True, text=True)
        outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
        return done, outputs, files["GITHUB_STEP_SUMMARY"].read_text()


def shards(suite, report):
    """Plays two shards, and merges them."""
    words = "--scenario\nput-if-not-exists/*-is-there\n--scenario\nput-if-not-exists/gap-*"
    for shard in ("1/2", "2/2"):
        folder = f"{report}/shard-{shard[0]}"
        done, outputs, summary = certify(suite, {"shard": shard, "args": words, "report": folder})
        assert outputs["exit-code"] == "0", (done.stdout, done.stderr)
        assert f"shard {shard[0]} of 2: conformant" in summary, summary
    whole = f"{report}/whole"
    inputs = {"merge": f"{report}/shard-*/result.json", "report": whole}
    done, outputs, summary = certify(suite, inputs)
    assert outputs["verdict"] == "conformant", (done.stdout, done.stderr)
    assert "conformance: conformant" in summary, summary
    done, outputs, _ = certify(suite, {"merge": f"{report}/shard-1/result.json", "report": whole})
    assert outputs["exit-code"] == "2" and "shard 2/2" in done.stderr, (outputs, done.stderr)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    suite = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as report:
        words = "--scenario\nput-if-not-exists/second-create-is-refused"
        started = f"{suite} serve --listen 127.0.0.1:{{port}} --db {{dir}}/catalog.db"
        inputs = {"server-cmd": started, "args": words, "report": report, "working-directory": report}
        done, outputs, summary = certify(suite, inputs)
        assert done.returncode == 0, (done.stdout, done.stderr)
        wanted = {"exit-code": "0", "verdict": "conformant", "report": report}
        assert outputs == wanted, outputs
        assert "conformant" in summary, summary
        for name in ("report.html", "result.json", "junit.xml", "summary.md", "badge.svg"):
            assert (Path(report) / name).stat().st_size > 0, name
        inputs = {"server-url": "http://127.0.0.1:1", "args": words, "report": report}
        done, outputs, _ = certify(suite, inputs)
        assert done.returncode == 3 and outputs["verdict"] == "inconclusive", (done, outputs)
        done, outputs, _ = certify(suite, {"tiers": "none-such", "report": report})
        assert done.returncode == 2 and outputs["verdict"] == "usage", (done, outputs)
        shards(suite, report)
    print("the action certifies, and says so")


if __name__ == "__main__":
    main()
