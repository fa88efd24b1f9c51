"""lance.namespace.RestNamespace of pylance."""

from typing import Any

import lance.namespace
from lance_namespace import errors
from lance_namespace_urllib3_client import models

from clients.checks import Checks, staged


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
