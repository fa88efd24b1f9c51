#!/usr/bin/env python3
"""Drive a namespace server with clients that others wrote, and check the answers.

    DIR/bin/python .ci/real_clients.py URL

The clients are lance.namespace.RestNamespace (pylance) and lance_namespace_urllib3_client;
`.ci/venv DIR` installs the pinned ones. One line a check, then `N passed, M failed`; exit 1
when one failed. All happens in namespaces with fresh names, which are removed afterwards.
"""

import json
import secrets
import sys
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lance.namespace
from lance_namespace import errors
from lance_namespace_urllib3_client import (
    ApiClient,
    Configuration,
    NamespaceApi,
    TableApi,
    models,
)
from lance_namespace_urllib3_client.exceptions import (
    ApiException,
    ConflictException,
    NotFoundException,
)


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


def rest_namespace(checks: Checks, url: str, root: str) -> None:
    """The Rust client behind pylance: ids are lists, versions plain dictionaries."""
    client = lance.namespace.RestNamespace(uri=url)
    child, table = [root, "child"], [root, "child", "users"]

    def names_of_root() -> list[str]:
        return client.list_namespaces(models.ListNamespacesRequest(id=[root])).namespaces

    client.create_namespace(models.CreateNamespaceRequest(id=[root]))
    created = client.create_namespace(
        models.CreateNamespaceRequest(id=child, properties={"owner": "ci"})
    )
    checks.equal("create namespace: properties", created.properties, {"owner": "ci"})
    checks.equal("list namespaces: the child", names_of_root(), ["child"])
    described = client.describe_namespace(models.DescribeNamespaceRequest(id=child))
    checks.equal("describe namespace: properties", described.properties, {"owner": "ci"})
    checks.succeeds(
        "namespace exists",
        lambda: client.namespace_exists(models.NamespaceExistsRequest(id=child)),
    )
    checks.raises(
        "create namespace again",
        errors.NamespaceAlreadyExistsError,
        2,
        lambda: client.create_namespace(models.CreateNamespaceRequest(id=child)),
    )
    checks.raises(
        "namespace exists: missing",
        errors.NamespaceNotFoundError,
        1,
        lambda: client.namespace_exists(models.NamespaceExistsRequest(id=[root, "no"])),
    )

    declared = client.declare_table(models.DeclareTableRequest(id=table))
    checks.equal("declare table: has a location", bool(declared.location), True)
    location = client.describe_table(models.DescribeTableRequest(id=table)).location
    checks.equal("describe table: the declared location", location, declared.location)
    tables = client.list_tables(models.ListTablesRequest(id=child)).tables
    checks.equal("list tables: the declared one", tables, ["users"])
    checks.succeeds(
        "table exists",
        lambda: client.table_exists(models.TableExistsRequest(id=table)),
    )
    checks.raises(
        "declare table again",
        errors.TableAlreadyExistsError,
        5,
        lambda: client.declare_table(models.DeclareTableRequest(id=table)),
    )
    checks.raises(
        "describe table: missing",
        errors.TableNotFoundError,
        4,
        lambda: client.describe_table(models.DescribeTableRequest(id=[*child, "no"])),
    )

    def create(version: int, name: str) -> dict:
        path = staged(location, name)
        request = {"id": table, "version": version, "manifest_path": path}
        return client.create_table_version(request)["version"]

    def describe(version: int | None) -> dict:
        return client.describe_table_version({"id": table, "version": version})["version"]

    def listed(**options: Any) -> list[int]:
        request = models.ListTableVersionsRequest(id=table, **options)
        return [entry.version for entry in client.list_table_versions(request).versions]

    first = create(1, "1.manifest-first")
    checks.equal("create version: number", first["version"], 1)
    stored = describe(1)
    checks.equal("describe version: path", stored["manifest_path"], first["manifest_path"])
    checks.raises(
        "create version 1 with another manifest",
        errors.ConcurrentModificationError,
        14,
        lambda: create(1, "1.manifest-second"),
    )
    checks.equal("the refused create changed nothing", describe(1), stored)
    create(2, "2.manifest-first")
    checks.equal("describe version: the latest", describe(None)["version"], 2)
    checks.equal("list versions: both", sorted(listed()), [1, 2])
    checks.equal("list versions: latest one", listed(limit=1, descending=True), [2])
    checks.raises(
        "describe version: missing",
        errors.TableVersionNotFoundError,
        11,
        lambda: describe(3),
    )

    checks.raises(
        "drop namespace that holds a table",
        errors.NamespaceNotEmptyError,
        3,
        lambda: client.drop_namespace(models.DropNamespaceRequest(id=child)),
    )
    client.deregister_table(models.DeregisterTableRequest(id=table))
    checks.raises(
        "table exists: deregistered",
        errors.TableNotFoundError,
        4,
        lambda: client.table_exists(models.TableExistsRequest(id=table)),
    )
    client.drop_namespace(models.DropNamespaceRequest(id=child))
    checks.equal("drop namespace: gone from the list", names_of_root(), [])


class Urllib3:
    """The generated client, its ids joined by the default delimiter."""

    def __init__(self, url: str) -> None:
        api = ApiClient(Configuration(host=url))
        self.namespaces = NamespaceApi(api)
        self.tables = TableApi(api)

    def exists(self, *table: str) -> bool:
        try:
            self.tables.table_exists("$".join(table), models.TableExistsRequest())
        except NotFoundException:
            return False
        return True

    def versions(self, *table: str) -> list[int]:
        listed = self.tables.list_table_versions("$".join(table), descending=True)
        return [entry.version for entry in listed.versions]

    def declare(self, *table: str) -> str:
        request = models.DeclareTableRequest()
        return self.tables.declare_table("$".join(table), request).location


def urllib3_single(checks: Checks, client: Urllib3, root: str) -> None:
    namespaces, tables = client.namespaces, client.tables
    namespaces.create_namespace(root, models.CreateNamespaceRequest())
    described = namespaces.describe_namespace(root, models.DescribeNamespaceRequest())
    checks.equal("describe namespace: no properties", described.properties or {}, {})
    checks.raises(
        "create namespace again",
        ConflictException,
        2,
        lambda: namespaces.create_namespace(root, models.CreateNamespaceRequest()),
    )

    location = client.declare(root, "one")
    checks.equal("table exists", client.exists(root, "one"), True)
    checks.equal("table exists: missing", client.exists(root, "no"), False)
    checks.equal("list tables", tables.list_tables(root).tables, ["one"])

    def create(version: int, name: str) -> models.TableVersion:
        request = models.CreateTableVersionRequest(
            version=version, manifest_path=staged(location, name)
        )
        return tables.create_table_version(f"{root}$one", request).version

    for version in (1, 2, 3):
        create(version, f"{version}.manifest-first")
    checks.equal("create and list versions", client.versions(root, "one"), [3, 2, 1])
    checks.raises(
        "create version 3 with another manifest",
        ConflictException,
        14,
        lambda: create(3, "3.manifest-second"),
    )
    deleted = tables.batch_delete_table_versions(
        f"{root}$one",
        models.BatchDeleteTableVersionsRequest(
            ranges=[models.VersionRange(start_version=1, end_version=3)]
        ),
    )
    checks.equal("batch delete: end is exclusive", deleted.deleted_count, 2)
    checks.equal("batch delete: what stays", client.versions(root, "one"), [3])


def urllib3_batch_create(checks: Checks, client: Urllib3, root: str) -> None:
    locations = {name: client.declare(root, name) for name in ("a", "b")}

    def batch(*wanted: tuple[str, int], attempt: str) -> list[int]:
        entries = [
            models.CreateTableVersionEntry(
                id=[root, name],
                version=version,
                manifest_path=staged(locations[name], f"{version}.manifest-{attempt}"),
            )
            for name, version in wanted
        ]
        request = models.BatchCreateTableVersionsRequest(entries=entries)
        answer = client.tables.batch_create_table_versions(request)
        return [entry.version for entry in answer.versions]

    checks.equal("batch create", batch(("a", 1), ("b", 1), attempt="first"), [1, 1])
    checks.raises(
        "batch create with one conflict",
        ConflictException,
        14,
        lambda: batch(("a", 2), ("b", 1), attempt="second"),
    )
    checks.equal("a refused batch creates nothing", client.versions(root, "a"), [1])
    answered = batch(("b", 2), ("a", 2), attempt="third")
    checks.equal("batch create: the next versions", answered, [2, 2])
    checks.equal("batch create: listed", client.versions(root, "b"), [2, 1])


def urllib3_batch_commit(checks: Checks, client: Urllib3, root: str) -> None:
    """All four kinds of operation in one commit; before it one that must not apply."""
    create_location = client.declare(root, "create")
    delete_location = client.declare(root, "delete")
    client.declare(root, "deregister")

    def create_version(
        table: str, location: str, version: int, attempt: str
    ) -> models.CreateTableVersionRequest:
        return models.CreateTableVersionRequest(
            id=[root, table],
            version=version,
            manifest_path=staged(location, f"{version}.manifest-{attempt}"),
        )

    for version in (1, 2):
        request = create_version("delete", delete_location, version, "first")
        client.tables.create_table_version(f"{root}$delete", request)

    def commit(*more: models.CommitTableOperation) -> list[str]:
        operation = models.CommitTableOperation
        operations = [
            operation(declare_table=models.DeclareTableRequest(id=[root, "declare"])),
            operation(create_table_version=create_version("create", create_location, 1, "commit")),
            operation(
                delete_table_versions=models.BatchDeleteTableVersionsRequest(
                    id=[root, "delete"],
                    ranges=[models.VersionRange(start_version=1, end_version=2)],
                )
            ),
            operation(deregister_table=models.DeregisterTableRequest(id=[root, "deregister"])),
        ]
        request = models.BatchCommitTablesRequest(operations=[*operations, *more])
        results = client.tables.batch_commit_tables(request).results
        return [
            kind
            for result in results
            for kind in type(result).model_fields
            if getattr(result, kind) is not None
        ]

    def state() -> dict[str, Any]:
        return {
            "declare": client.exists(root, "declare"),
            "create": client.versions(root, "create"),
            "delete": client.versions(root, "delete"),
            "deregister": client.exists(root, "deregister"),
        }

    before = {"declare": False, "create": [], "delete": [2, 1], "deregister": True}
    checks.equal("batch commit: state before", state(), before)
    conflict = create_version("delete", delete_location, 2, "second")
    checks.raises(
        "batch commit with one conflict",
        ConflictException,
        14,
        lambda: commit(models.CommitTableOperation(create_table_version=conflict)),
    )
    checks.equal("a refused commit applies nothing", state(), before)
    kinds = [
        "declare_table",
        "create_table_version",
        "delete_table_versions",
        "deregister_table",
    ]
    checks.equal("batch commit: one result an operation, in order", commit(), kinds)
    after = {"declare": True, "create": [1], "delete": [2], "deregister": False}
    checks.equal("batch commit: all four applied", state(), after)


def remove(client: Urllib3, root: str) -> None:
    """Remove `root` with its children and their tables, as far as it was created."""
    try:
        children = client.namespaces.list_namespaces(root).namespaces
        tables = client.tables.list_tables(root).tables
    except NotFoundException:
        return
    for child in children:
        remove(client, f"{root}${child}")
    for table in tables:
        client.tables.deregister_table(f"{root}${table}", models.DeregisterTableRequest())
    client.namespaces.drop_namespace(root, models.DropNamespaceRequest())


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    url = sys.argv[1].rstrip("/")
    checks = Checks()
    client = Urllib3(url)
    prefix = f"real_clients_{secrets.token_hex(6)}"
    roots = {name: f"{prefix}_{name}" for name in ("rest_namespace", "urllib3")}
    try:
        with checks.section("RestNamespace"):
            rest_namespace(checks, url, roots["rest_namespace"])
        with checks.section("urllib3 client"):
            urllib3_single(checks, client, roots["urllib3"])
        with checks.section("urllib3 client, batch create"):
            urllib3_batch_create(checks, client, roots["urllib3"])
        with checks.section("urllib3 client, batch commit"):
            urllib3_batch_commit(checks, client, roots["urllib3"])
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
