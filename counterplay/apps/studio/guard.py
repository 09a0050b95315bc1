"""Who may ask the server anything, and what browsers are told to refuse.

The token is the first part of every address: without it nothing is answered, whatever is asked. It stands in no cookie,
which another server on this machine would be sent too, and no page of another origin can know it. Beyond that a request
must name a host that is ours, which ends DNS rebinding, and must not come from a page of another origin.
"""

from __future__ import annotations

import hmac
import ipaddress
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

__all__ = ["HEADERS", "MOST_BYTES", "Bucket", "Guard"]

MOST_BYTES = 1_000_000
"""Of a request."""
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "cache-control": "no-store",
}
"""Of every answer."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Bucket:
    """So many a second, and some more at once now and then."""

    def __init__(self, per_second: float, most: float, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._most, self._now = per_second, most, now
        self._left, self._at = most, now()

    def take(self) -> bool:
        """Whether there is room for one more."""
        now = self._now()
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Guard:
    """Stands before an application and lets through what may pass."""

    def __init__(self, app: Any, token: str, host: str, port: int) -> None:
        self._app, self._token = app, token.encode()
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]", host)}
        self._port, self._is_wide = port, host in ("0.0.0.0", "::")  # noqa: S104
        self._asked, self._refused = Bucket(1_000, 2_000), Bucket(20, 100)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        status, why = self._refusal(scope, headers)
        if why:
            await _refuse(scope, send, status, why)
            return
        _, _, rest = scope["path"].removeprefix("/").partition("/")
        inner = {**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}
        await self._app(inner, _bounded(receive), _with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str]:
        host = headers.get("host", "")
        if not self._is_ours(host):
            return 403, "this is not the host that the address names"
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return 403, "a page of another origin may ask nothing here"
        if origin is None and scope["type"] == "websocket":
            return 403, "a socket must say where it comes from"
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, "a page of another site may ask nothing here"
        first = scope["path"].removeprefix("/").partition("/")[0]
        if not hmac.compare_digest(first.encode(), self._token):
            allowed = self._refused.take()  # guessing is hopeless, and slow too
            return (403, "open the address that `counterplay studio` has printed") if allowed else (429, "too often")
        if not self._asked.take():
            return 429, "too many requests; wait a moment"
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MOST_BYTES:
            return 413, f"a request has at most {MOST_BYTES:,} bytes"
        return 200, ""

    def _is_ours(self, host: str) -> bool:
        if host in self._hosts:
            return True
        name, _, port = host.rpartition(":")
        return self._is_wide and port == str(self._port) and _is_address(name.strip("[]"))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class TooLong(Exception):
    """More bytes came than were announced, or than anybody may send."""


def _bounded(receive: Receive) -> Receive:
    seen = 0

    async def bounded() -> MutableMapping[str, Any]:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b"")) if message["type"] == "http.request" else 0
        if seen > MOST_BYTES:
            raise TooLong
        return message

    return bounded


def _with_headers(send: Send) -> Send:
    async def sent(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = [(name, value) for name, value in message.get("headers", []) if name.decode().lower() not in HEADERS]
            message = {**message, "headers": own + [(k.encode(), v.encode()) for k, v in HEADERS.items()]}
        await send(message)

    return sent


async def _refuse(scope: Scope, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    body = f"{why}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    headers += [(k.encode(), v.encode()) for k, v in HEADERS.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
