"""The studio under load: many pages that play at once, how soon they are answered, and whether memory grows.

    python benchmarks/studio.py                    # 50 pages, 1,000 games
    python benchmarks/studio.py --pages 5 --games 20 --game nim

Pages are opened one after another in the first seconds (`--arrive 0`: all in the same moment). Each has a socket, as
the real one, and plays a person's moves at random against a level as soon as it is its turn, after a moment of thought.
Requests of pages are timed, searches are not. Says what the 50th, 99th and last percentile of them took, how many
failed, and the memory of the server and of its processes after every quarter of the games. Figures mean something on an
idle machine only; `--think 0` shows what happens when nobody ever stops to think.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from websockets.asyncio.client import connect


def memory_mb(pid: int) -> tuple[float, float]:
    """Resident memory of a process, and of all that it has started."""

    def resident(one: int) -> float:
        try:
            status = Path(f"/proc/{one}/status").read_text()
        except OSError:
            return 0.0
        return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS")), 0.0)

    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return resident(pid), sum(resident(int(child)) for child in found.stdout.split())


def cpu_seconds(pid: int) -> float:
    """What a process has used of the processors, its children not counted."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Load:
    """What all pages share: the client, how many games are left, and what was measured."""

    def __init__(self, address: str, arguments: argparse.Namespace) -> None:
        self.address, self.arguments = address, arguments
        self.client = httpx.AsyncClient(
            base_url=address, timeout=60, limits=httpx.Limits(max_connections=arguments.pages * 2)
        )
        self.left, self.done = arguments.games, 0
        self.seconds: list[float] = []
        self.failures: list[str] = []

    async def post(self, path: str, **fields: object) -> dict:
        began = time.perf_counter()
        answer = await self.client.post(path, json=fields)
        self.seconds.append(time.perf_counter() - began)
        if answer.status_code != 200:
            self.failures.append(f"{path}: {answer.text}")
        return answer.json()

    async def page(self, number: int) -> None:
        """One page: game after game, as long as some are left."""
        dice = random.Random(number)
        await asyncio.sleep(self.arguments.arrive * number / self.arguments.pages)
        parts = urlsplit(self.address)
        async with connect(self.address.replace("http", "ws", 1) + "live", origin=f"http://{parts.netloc}") as socket:
            while self.left > 0:
                self.left -= 1
                await self.game(socket, dice)
                self.done += 1

    async def game(self, socket: object, dice: random.Random) -> None:
        level = {"kind": "level", "level": self.arguments.level}
        table = await self.post("api/tables", game=self.arguments.game, seats=[{"kind": "human"}, level])
        await socket.send(json.dumps({"watch": table["id"]}))
        moves = -1
        while True:
            message = json.loads(await asyncio.wait_for(socket.recv(), 120))
            state = message.get("table")
            if state is None or state["id"] != table["id"]:
                continue
            if state["ending"]:
                await self.post(f"api/tables/{table['id']}/forget")
                return
            if state["turn"] == "human" and len(state["moves"]) > moves:
                moves = len(state["moves"])
                await asyncio.sleep(self.arguments.think * dice.random() * 2)
                move = dice.choice(state["legal"])["name"]
                await self.post(f"api/tables/{table['id']}/play", move=move)


async def run(arguments: argparse.Namespace, address: str, pid: int) -> dict:
    load = Load(address, arguments)
    began, grown = time.perf_counter(), []
    pages = [asyncio.create_task(load.page(number)) for number in range(arguments.pages)]
    for quarter in range(1, 5):
        while load.done < quarter * arguments.games // 4 and not all(page.done() for page in pages):
            await asyncio.sleep(0.2)
        server, workers = memory_mb(pid)
        grown.append({"games": load.done, "server_mb": round(server), "workers_mb": round(workers)})
    await asyncio.gather(*pages)
    await load.client.aclose()
    times = sorted(load.seconds)
    at = lambda part: round(1000 * times[min(len(times) - 1, int(part * len(times)))], 1)  # noqa: E731
    return {
        "game": arguments.game,
        "pages": arguments.pages,
        "games": load.done,
        "seconds": round(time.perf_counter() - began, 1),
        "requests": len(times),
        "failures": len(load.failures),
        "first_failure": load.failures[0] if load.failures else None,
        "ms": {"p50": at(0.5), "p99": at(0.99), "max": at(1.0)},
        "server_cpu_ms_a_request": round(1000 * cpu_seconds(pid) / len(times), 2),
        "memory": grown,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--games", type=int, default=1_000)
    parser.add_argument("--game", default="connect_four")
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("--think", type=float, default=1.0, help="seconds a person thinks about a move, on average")
    parser.add_argument("--arrive", type=float, default=5.0, help="seconds in which the pages are opened")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "counterplay",
            "studio",
            "--no-open",
            "--json",
            "--store",
            f"{folder}/x.sqlite",
        ]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            address = json.loads(server.stdout.readline())["address"]
            print(json.dumps(asyncio.run(run(arguments, address, server.pid)), indent=1))
        finally:
            server.terminate()
            server.wait(30)


if __name__ == "__main__":
    main()
