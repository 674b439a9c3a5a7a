"""Ask a GGUF file what the tests want to know, and print it as JSON.

A program of its own, so that a hard time limit holds: llama.cpp can keep the interpreter's lock.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from fiel.models import Local, local
from fiel.records import FielError, Message, Reply, Request

SCHEMA = {
    "type": "object",
    "properties": {"grounded": {"enum": ["no", "yes"]}},
    "required": ["grounded"],
    "additionalProperties": False,
}
CONTEXT = "CONTEXT: The tower was built in 1871 and is 31 metres high. It stands on a hill above the harbour. "


def question(text: str, **parameters: Any) -> Request:
    """A request that begins with the context."""
    return Request(
        model="tiny",
        messages=(Message(role="user", content=CONTEXT + text),),
        schema=SCHEMA,
        parameters={"temperature": 0, "top_logprobs": 20, "max_tokens": 40} | parameters,
    )


def plain(reply: Reply) -> dict[str, Any]:
    """A reply as JSON."""
    return {
        "text": reply.text,
        "tokens": [(token.text, token.alternatives) for token in reply.tokens or ()],
        "served": reply.served,
        "fingerprint": reply.fingerprint,
        "cached": reply.usage.cached,
        "input": reply.usage.input,
    }


async def first(model: Local) -> dict[str, Any]:
    """Five calls, one of them too long and one cancelled, and an orderly end."""
    one = await model(question("Is it high?"))
    both = await asyncio.gather(model(question("Is it high?")), model(question("Is it old?")))
    try:
        await model(question("too long " * 2000))
        refused = ""
    except FielError as error:
        refused = f"{type(error).__name__}: {error}"
    cancelled = asyncio.create_task(model(question("Go on.", max_tokens=400)))
    await asyncio.sleep(0.3)
    cancelled.cancel()
    await model.close()
    left = len(asyncio.all_tasks() - {asyncio.current_task()} - {cancelled})
    return {"one": plain(one), "both": [plain(reply) for reply in both], "refused": refused, "left": left}


async def second(model: Local) -> dict[str, Any]:
    """After its end, in another event loop, the model is loaded anew; and this time nobody closes it."""
    return {"again": plain(await model(question("Is it high?")))}


if __name__ == "__main__":
    tiny = local(sys.argv[1], name="tiny", slots=2, context=1024, threads=1)
    found = {"name": tiny.name} | asyncio.run(first(tiny)) | asyncio.run(second(tiny))
    print(json.dumps(found))  # noqa: T201  its output is what it is for
