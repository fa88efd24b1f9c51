"""The pages of the book that are made from files elsewhere, so that they are never out of date."""

import tomllib
from pathlib import Path

from mkdocs.structure.files import File

# What the letters of a requirement stand for.
KINDS = {
    "REST": "transport and identifiers",
    "NS": "namespaces",
    "TBL": "tables",
    "LIST": "listings",
    "PAGE": "pages",
    "VER": "versions",
    "ORD": "order",
    "BAT": "batches",
    "COM": "commits",
    "TAG": "tags",
    "BR": "branches",
    "TX": "transactions",
    "DATA": "rows",
    "ERR": "errors",
    "AUTH": "authentication",
}

ROOT = Path(__file__).resolve().parent.parent
SUITE = ROOT / "conformance" / "suite"


def on_files(files, config):
    files.append(File.generated(config, "requirements.md", content=requirements()))
    coverage = (SUITE / "coverage.md").read_text()
    files.append(File.generated(config, "coverage.md", content=coverage))
    return files


def requirements():
    """The catalogue, a section for each kind of statement."""
    rows = tomllib.loads((SUITE / "requirements.toml").read_text())["requirement"]
    page = [
        "# Requirements",
        "",
        "Every statement of the protocol about a server's behaviour that the suite knows, in its own",
        "words. A *must* that is broken fails a server, a *should* warns, and of what is *open* the suite",
        "records what the server chose. Where the text can be read in several ways, the reading is said.",
        "",
    ]
    kinds = {}
    for row in rows:
        kinds.setdefault(row["id"].partition("-")[0], []).append(row)
    for kind, rows in kinds.items():
        page += [f"## {kind}: {KINDS[kind]}", ""]
        page += [line for row in rows for line in requirement(row)]
    return "\n".join(page)


def requirement(row):
    """The lines of one statement."""
    page = [f"### {row['id']}: {row['level']}", "", row["statement"], ""]
    page += [f"*From: {row['source']}.*", ""]
    if why := row.get("why"):
        page += [f"Why it matters: {why}", ""]
    if row.get("data_at_stake"):
        page += ["Data is at stake: reports tell it among the first.", ""]
    if reading := row.get("reading"):
        page += [f"Reading: {reading}", ""]
    if checked := row.get("checked"):
        page += [f"Checked {checked}.", ""]
    if excluded := row.get("excluded"):
        page += [f"Not checked: {excluded}.", ""]
    if causes := row.get("causes"):
        page += ["How servers come to break it:", ""] + [f"- {cause}" for cause in causes] + [""]
    if scenarios := row.get("scenarios"):
        page += ["Scenarios:", ""] + [f"- `{name}`" for name in scenarios] + [""]
    return page
