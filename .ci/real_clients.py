#!/usr/bin/env python3
"""Drive a namespace server with clients that others wrote, and check the answers.

    DIR/bin/python .ci/real_clients.py URL

`.ci/venv DIR` installs the pinned clients. Those that write rows need a server whose tables lie on this
machine, and are left out elsewhere. One line a check, then `N passed, M failed`; exit 1 when one failed.
All happens in namespaces with fresh names, which are removed afterwards.
"""

import os
import secrets
import sys

# Lance warns with every table that it opens; see docs/book/clients.md.
os.environ.setdefault("LANCE_LOG", "error")
os.environ.setdefault("LANCEDB_LOG", "error")

from lance_namespace_urllib3_client import models
from lance_namespace_urllib3_client.exceptions import NotFoundException

from clients.checks import Checks
from clients.datasets import write_dataset
from clients.generated import Urllib3, remove, urllib3_batch_commit, urllib3_batch_create, urllib3_single
from clients.lancedb_tables import lancedb_tables
from clients.rest_namespace import rest_namespace


def on_this_machine(client: Urllib3, root: str) -> bool:
    """Whether a table's location is a directory here."""
    client.namespaces.create_namespace(root, models.CreateNamespaceRequest())
    location = client.declare(root, "somewhere")
    return location.startswith(("/", "file://"))


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    url = sys.argv[1].rstrip("/")
    checks = Checks()
    client = Urllib3(url)
    prefix = f"real_clients_{secrets.token_hex(6)}"
    names = ("rest_namespace", "urllib3", "location", "write_dataset", "lancedb")
    roots = {name: f"{prefix}_{name}" for name in names}
    try:
        with checks.section("RestNamespace"):
            rest_namespace(checks, url, roots["rest_namespace"])
        with checks.section("urllib3 client"):
            urllib3_single(checks, client, roots["urllib3"])
        with checks.section("urllib3 client, batch create"):
            urllib3_batch_create(checks, client, roots["urllib3"])
        with checks.section("urllib3 client, batch commit"):
            urllib3_batch_commit(checks, client, roots["urllib3"])
        if on_this_machine(client, roots["location"]):
            with checks.section("lance.write_dataset"):
                write_dataset(checks, url, roots["write_dataset"])
            with checks.section("lancedb"):
                lancedb_tables(checks, url, roots["lancedb"])
        else:
            print("left out: lance.write_dataset and lancedb, as no table is on this machine")
    finally:
        with checks.section("clean up"):
            for root in roots.values():
                remove(client, root)
                checks.raises(
                    f"{root} is gone",
                    NotFoundException,
                    1,
                    lambda root=root: client.namespaces.namespace_exists(
                        root, models.NamespaceExistsRequest()
                    ),
                )
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
