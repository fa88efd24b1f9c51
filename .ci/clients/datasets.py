"""lance.write_dataset and lance.dataset of pylance: the server keeps the versions, the client writes the rows."""

import threading
from collections.abc import Callable

import lance
import lance.namespace
import pyarrow as pa
from lance_namespace_urllib3_client import models

from clients.checks import Checks

VERSIONS = 10
WRITERS = 2
WRITES_EACH = 10


def row(number: int) -> pa.Table:
    return pa.table({"id": pa.array([number], pa.int64())})


def write(url: str, table: list[str], number: int, mode: str = "append") -> lance.LanceDataset:
    """One commit of one row, by a client of its own."""
    client = lance.namespace.RestNamespace(uri=url)
    return lance.write_dataset(row(number), namespace_client=client, table_id=table, mode=mode)


def at_once(calls: list[Callable[[], None]]) -> list[str]:
    """Run them in threads that start together; the errors that they ended in."""
    start, errors = threading.Barrier(len(calls)), []

    def run(call: Callable[[], None]) -> None:
        start.wait()
        try:
            call()
        except Exception as error:
            errors.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


class Tables:
    """The tables of one namespace, looked at through the server and through Lance."""

    def __init__(self, url: str, root: str) -> None:
        self.url, self.root = url, root
        self.client = lance.namespace.RestNamespace(uri=url)

    def versions(self, table: list[str]) -> list[int]:
        request = models.ListTableVersionsRequest(id=table)
        return [entry.version for entry in self.client.list_table_versions(request).versions]

    def ids(self, table: list[str], version: int | None = None) -> list[int]:
        dataset = lance.dataset(namespace_client=self.client, table_id=table, version=version)
        return sorted(dataset.to_table()["id"].to_pylist())


def one_writer(checks: Checks, tables: Tables) -> None:
    table = [tables.root, "ten"]
    written = [write(tables.url, table, 1, "create").version]
    described = tables.client.describe_table(models.DescribeTableRequest(id=table))
    checks.equal("the server manages the versions", described.managed_versioning, True)
    written += [write(tables.url, table, number).version for number in range(2, VERSIONS + 1)]
    numbers = list(range(1, VERSIONS + 1))
    checks.equal("each write is the next version", written, numbers)
    checks.equal("the server lists them all", tables.versions(table), numbers)
    dataset = lance.dataset(namespace_client=tables.client, table_id=table)
    listed = [entry["version"] for entry in dataset.versions()]
    checks.equal("Lance lists them all", listed, numbers)
    for version in numbers:
        rows = tables.ids(table, version)
        checks.equal(f"version {version} has the rows up to it", rows, numbers[:version])
    dataset.delete("id = 1")
    checks.equal("a delete is a version too", tables.versions(table), [*numbers, VERSIONS + 1])
    checks.equal("the row is gone", tables.ids(table), numbers[1:])
    checks.equal("and is there in the version before", tables.ids(table, VERSIONS), numbers)
    checks.raises_any("create again", lambda: write(tables.url, table, 1, "create"))
    checks.equal("which changed nothing", tables.ids(table), numbers[1:])


def racing_writers(checks: Checks, tables: Tables) -> None:
    """Writers that append at the same time: Lance reads the latest version again when it lost."""
    table = [tables.root, "raced"]
    write(tables.url, table, 0, "create")

    def writes(writer: int) -> None:
        for number in range(WRITES_EACH):
            write(tables.url, table, writer * 100 + number)

    errors = at_once([lambda writer=writer: writes(writer) for writer in range(1, WRITERS + 1)])
    checks.equal("racing writers all succeed", errors, [])
    total = 1 + WRITERS * WRITES_EACH
    checks.equal("each commit is one version", tables.versions(table), list(range(1, total + 1)))
    wanted = [0] + [w * 100 + n for w in range(1, WRITERS + 1) for n in range(WRITES_EACH)]
    checks.equal("no row is lost or twice", tables.ids(table), wanted)
    for version in range(1, total + 1):
        if (rows := len(tables.ids(table, version))) != version:
            checks.equal(f"rows of version {version}", rows, version)


def one_of_two_creates(checks: Checks, tables: Tables) -> None:
    table = [tables.root, "made"]
    creates = [lambda number=number: write(tables.url, table, number, "create") for number in (1, 2)]
    errors = at_once(creates)
    checks.equal("of two creates one fails", len(errors), 1)
    checks.equal("and there is one version", tables.versions(table), [1])
    checks.equal("with the row of one", len(tables.ids(table)), 1)


def write_dataset(checks: Checks, url: str, root: str) -> None:
    tables = Tables(url, root)
    tables.client.create_namespace(models.CreateNamespaceRequest(id=[root]))
    one_writer(checks, tables)
    racing_writers(checks, tables)
    one_of_two_creates(checks, tables)
    for table in ("ten", "raced", "made"):
        tables.client.drop_table(models.DropTableRequest(id=[root, table]))
    left = tables.client.list_tables(models.ListTablesRequest(id=[root])).tables
    checks.equal("drop table: none is left", left, [])
