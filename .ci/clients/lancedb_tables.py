"""lancedb, connected to a namespace instead of to a directory."""

from typing import Any

import lance.namespace
import lancedb
import pyarrow as pa
from lance_namespace_urllib3_client import models

from clients.checks import Checks
from clients.datasets import at_once


def rows(**columns: list[Any]) -> pa.Table:
    return pa.table(columns)


def lancedb_tables(checks: Checks, url: str, root: str) -> None:
    path = [root, "db"]

    def connect() -> lancedb.DBConnection:
        return lancedb.connect_namespace("rest", {"uri": url})

    def open_table() -> Any:
        return connect().open_table("t", namespace_path=path)

    def content() -> list[tuple[int, str]]:
        table = open_table().to_arrow()
        return sorted(zip(table["id"].to_pylist(), table["v"].to_pylist(), strict=True))

    def versions(name: str) -> list[int]:
        request = models.ListTableVersionsRequest(id=[*path, name])
        listed = lance.namespace.RestNamespace(uri=url).list_table_versions(request)
        return [entry.version for entry in listed.versions]

    db = connect()
    db.create_namespace([root])
    db.create_namespace(path)
    checks.equal("list namespaces", db.list_namespaces([root]).namespaces, ["db"])
    first = rows(id=[1, 2, 3], v=["a", "b", "c"])
    db.create_table("t", first, namespace_path=path)
    checks.equal("list tables", db.list_tables(path).tables, ["t"])
    table = open_table()
    table.add(rows(id=[4], v=["d"]))
    table.update(where="id = 1", values={"v": "z"})
    table.delete("id = 2")
    merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    merge.execute(rows(id=[4, 5], v=["dd", "e"]))
    wanted = [(1, "z"), (3, "c"), (4, "dd"), (5, "e")]
    checks.equal("add, update, delete, merge", content(), wanted)
    checks.equal("each is a version at the server", versions("t"), [1, 2, 3, 4, 5])
    found = open_table().search().where("id > 3").to_list()
    checks.equal("search", sorted(row["v"] for row in found), ["dd", "e"])
    table.checkout(2)
    checks.equal("an older version", table.count_rows(), 4)
    checks.raises_any("create again", lambda: db.create_table("t", first, namespace_path=path))
    checks.equal("which changed nothing", content(), wanted)

    adds = [lambda n=n: open_table().add(rows(id=[n], v=["raced"])) for n in (10, 11)]
    checks.equal("adds at once all succeed", at_once(adds), [])
    raced = [(n, "raced") for n in (10, 11)]
    checks.equal("no row is lost or twice", content(), wanted + raced)
    checks.equal("and each was a version", versions("t"), list(range(1, 8)))

    db.rename_table("t", "renamed", cur_namespace_path=path, new_namespace_path=path)
    checks.equal("rename", db.list_tables(path).tables, ["renamed"])
    renamed = connect().open_table("renamed", namespace_path=path)
    checks.equal("a renamed table keeps its rows", renamed.count_rows(), 6)
    checks.equal("and its versions", versions("renamed"), list(range(1, 8)))
    db.drop_table("renamed", namespace_path=path)
    checks.equal("drop table", db.list_tables(path).tables, [])
    db.drop_namespace(path)
    checks.equal("drop namespace", db.list_namespaces([root]).namespaces, [])
