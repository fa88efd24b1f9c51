#!/usr/bin/env python3
"""Serve the RestAdapter of the installed pylance over a fresh temporary root.

    .ci/rest_adapter.py [--port PORT] [--root DIR]
                        [--no-manifest] [--no-version-tracking] [--no-dir-listing]

Prints one line, http://127.0.0.1:PORT, once the server answers, and then runs until
its standard input closes or SIGTERM or SIGINT arrives; the root is removed on exit,
unless it was given.
By hand, with the packages of .ci/requirements.txt (.ci/venv makes such an environment):

    sleep infinity | DIR/bin/python .ci/rest_adapter.py
"""

import argparse
import contextlib
import http.client
import signal
import sys
import tempfile
import time

import lance
import lance.namespace

HOST = "127.0.0.1"
START_UP_SECONDS = 30


def properties(options: argparse.Namespace, root: str) -> dict[str, str]:
    switches = {
        "manifest_enabled": options.manifest,
        "table_version_tracking_enabled": options.version_tracking,
        "dir_listing_enabled": options.dir_listing,
    }
    return {"root": root} | {name: str(on).lower() for name, on in switches.items()}


def wait_until_it_answers(port: int) -> None:
    deadline = time.monotonic() + START_UP_SECONDS
    while True:
        connection = http.client.HTTPConnection(HOST, port, timeout=5)
        try:
            connection.request("GET", "/v1/namespace/$/list")
            connection.getresponse().read()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        finally:
            connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, effect in {
        "manifest": "directory only: no manifest table, hence no child namespaces",
        "version-tracking": "without it tables do not say managed_versioning",
        "dir-listing": "only what the manifest table holds is a table",
    }.items():
        parser.add_argument(
            f"--no-{name}",
            dest=name.replace("-", "_"),
            action="store_false",
            help=effect,
        )
    parser.add_argument("--port", type=int, default=0, help="port; 0 is a free one")
    parser.add_argument("--root", help="directory that keeps everything, and is kept")
    options = parser.parse_args()

    # Turned into SystemExit so that the root is removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
    with (
        contextlib.nullcontext(options.root)
        if options.root
        else tempfile.TemporaryDirectory(prefix="rest-adapter-")
    ) as root:
        # The session keeps one view of the store over all requests.
        adapter = lance.namespace.RestAdapter(
            "dir",
            properties(options, root),
            session=lance.Session(),
            host=HOST,
            port=options.port,
        )
        with adapter:
            wait_until_it_answers(adapter.port)
            print(f"http://{HOST}:{adapter.port}", flush=True)
            sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
