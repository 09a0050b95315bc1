"""A studio for tests: a server in a process of its own, interpreted unless said otherwise, and how to talk to it."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import urlsplit

from tests.processes import WATCHDOG_SECONDS, hear_ctrl_c

MIDDLE = {"kind": "level", "level": 2}
HUMAN = {"kind": "human"}
RANDOM = {"kind": "random"}


class Studio:
    """A server that runs, seen by its user."""

    def __init__(self, process, address):
        import httpx

        self.process, self.address = process, address.partition("#")[0]
        parts = urlsplit(self.address)
        self.origin, self.port = f"{parts.scheme}://{parts.netloc}", parts.port
        self.client = httpx.Client(base_url=self.address, timeout=WATCHDOG_SECONDS)

    def get(self, path):
        return self.client.get(path)

    def post(self, path, **fields):
        return self.client.post(path, json=fields)

    def begin(self, game, *seats, **more):
        answer = self.post("api/tables", game=game, seats=list(seats), **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    @contextmanager
    def live(self, **headers):
        """The socket, as the page has it."""
        from websockets.sync.client import connect

        origin = headers.pop("origin", self.origin)
        address = self.address.replace("http", "ws", 1) + "live"
        with connect(address, origin=origin, additional_headers=headers, open_timeout=WATCHDOG_SECONDS) as socket:
            yield socket


@contextmanager
def studio(store, *arguments, **environment):
    """Start one; it is stopped at the end, whatever happens."""
    command = [sys.executable, "-m", "counterplay", "studio", "--no-open", "--json", "--store", str(store), *arguments]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COUNTERPLAY_INTERPRETED": "1", **environment},
        preexec_fn=hear_ctrl_c,
    )
    try:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        yield Studio(process, json.loads(line)["address"])
    finally:
        process.kill()
        process.wait(WATCHDOG_SECONDS)
        process.stdout.close()
        process.stderr.close()


def heard(socket, wanted):
    """The first message for which `wanted` is true."""
    while True:
        message = json.loads(socket.recv(timeout=WATCHDOG_SECONDS))
        if wanted(message):
            return message


def table_where(socket, wanted):
    """The first state of the table that is being watched for which `wanted` is true."""
    return heard(socket, lambda message: "table" in message and wanted(message["table"]))["table"]
