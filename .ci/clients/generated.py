"""lance_namespace_urllib3_client, the client generated for Python."""

from typing import Any

from lance_namespace_urllib3_client import (
    ApiClient,
    Configuration,
    NamespaceApi,
    TableApi,
    models,
)
from lance_namespace_urllib3_client.exceptions import ConflictException, NotFoundException

from clients.checks import Checks, staged


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
