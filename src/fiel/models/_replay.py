"""Replies kept in JSON Lines under the digest of their request: recorded once, replayed for ever. Knows no network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from fiel.records import FielError, Model, Reply, Request, decode, encode, split_lines


class _Recorded(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One line of a recording."""

    digest: str
    request: Request | None = None
    reply: Reply


class Replay:
    """Answers from a recording and asks nobody.

    Args:
        source: a JSON Lines file of {"digest", "request" (optional), "reply"}, or replies (or their texts) by digest.
        name: under which it runs.

    Raises:
        FielError: the file is missing or not a recording, a digest is not that of its request, or two replies of one
            digest differ.
    """

    def __init__(self, source: str | Path | Mapping[str, Reply | str], *, name: str = "replay") -> None:
        self.name = name
        self._where = "the mapping" if isinstance(source, Mapping) else str(source)
        if isinstance(source, Mapping):
            self._replies = {
                key: Reply(text=reply) if isinstance(reply, str) else reply for key, reply in source.items()
            }
        else:
            self._replies = _read(Path(source))

    async def __call__(self, request: Request) -> Reply:
        """The recorded reply.

        Raises:
            FielError: there is none for this request.
        """
        reply = self._replies.get(request.digest)
        if reply is None:
            raise FielError(
                f"No reply is recorded for request {request.digest} to model {request.model!r}.",
                where=self._where,
                fix="Run it once through Recorder(model, path), which asks the model and appends what it says.",
            )
        return reply


class Recorder:
    """A model that keeps what passes through it, so that `Replay` can answer next time.

    A request that the recording holds already is answered from it: one digest never has two replies. To ask the same
    thing several times, number the requests by `sample`. Every reply is on disk before it is returned. Failures of the
    model are raised and not recorded.

    Args:
        model: who is asked.
        path: the JSON Lines file that is made or appended to.

    Raises:
        FielError: the file exists and is not a recording.
    """

    def __init__(self, model: Model, path: str | Path) -> None:
        self.name = model.name
        self._model = model
        self._path = Path(path)
        self._replies = _read(self._path) if self._path.exists() else {}

    async def __call__(self, request: Request) -> Reply:
        """The recorded reply, else what the model says, recorded."""
        key = request.digest
        if key not in self._replies:
            reply = await self._model(request)
            if key not in self._replies:  # another call may have recorded it meanwhile
                _append(self._path, request, reply)
                self._replies[key] = reply
        return self._replies[key]

    async def close(self) -> None:
        """Close the model, if it can be closed."""
        close = getattr(self._model, "close", None)
        if close is not None:
            await close()


def record(path: str | Path, request: Request, reply: Reply) -> None:
    """Append a reply to a recording; nothing happens where it holds the same one already.

    Raises:
        FielError: the file is not a recording, or holds another reply to this request.
    """
    held = _read(Path(path)) if Path(path).exists() else {}
    before = held.get(request.digest)
    if before is None:
        _append(Path(path), request, reply)
    elif not _same(before, reply):
        raise _conflict(request.digest, str(path))


def _append(path: Path, request: Request, reply: Reply) -> None:
    line = encode(_Recorded(digest=request.digest, request=request, reply=reply)) + b"\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file:
            if file.tell() and not _ends_line(path):
                line = b"\n" + line
            file.write(line)
            file.flush()
    except OSError as error:
        raise FielError(f"The recording cannot be written: {error.strerror}.", where=str(path)) from error


def _ends_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) == b"\n"


def _read(path: Path) -> dict[str, Reply]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FielError(
            f"The recording cannot be read: {error.strerror}.",
            where=str(path),
            fix="Give the path of a file that Recorder(model, path) wrote.",
        ) from error
    replies: dict[str, Reply] = {}
    for number, line in split_lines(data):
        where = f"{path}, line {number}"
        entry = decode(line, _Recorded, where=where)
        if entry.request is not None and entry.request.digest != entry.digest:
            raise FielError(
                f"The digest {entry.digest} is not that of the request beside it, {entry.request.digest}.",
                where=where,
                fix="Record the request again, or remove the line.",
            )
        if not _same(replies.setdefault(entry.digest, entry.reply), entry.reply):
            raise _conflict(entry.digest, where)
    return replies


def _same(one: Reply, other: Reply) -> bool:
    """Whether two replies differ in nothing but how long they took."""
    return msgspec.structs.replace(one, latency=None) == msgspec.structs.replace(other, latency=None)


def _conflict(key: str, where: str) -> FielError:
    return FielError(
        f"Request {key} has two different replies.",
        where=where,
        fix="Keep one of them; to ask the same thing several times, number the requests by `sample`.",
    )
