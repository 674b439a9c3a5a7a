"""One HTTP POST, and what can come of it, as values. Knows no wire format. The one module that knows aiohttp."""

from __future__ import annotations

from time import monotonic

import aiohttp

from fiel.models._outcomes import Answer, Lost

_CONNECT = 15.0  # seconds for a connection, where a call may take longer
_BUFFER = 2**18  # bytes: a reply with alternatives for every token fits


class Poster:
    """Posts JSON to one URL, over connections of its own.

    Args:
        url: of the endpoint.
        headers: of every call.
        seconds: that a call may take.
        most: connections at once.
    """

    def __init__(self, url: str, *, headers: dict[str, str], seconds: float, most: int) -> None:
        self._url = url
        self._seconds = seconds
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=most),
            headers={"Content-Type": "application/json", "Accept": "application/json"} | headers,
            timeout=aiohttp.ClientTimeout(total=seconds, sock_connect=min(seconds, _CONNECT)),
            cookie_jar=aiohttp.DummyCookieJar(),
            read_bufsize=_BUFFER,
        )

    async def post(self, body: bytes) -> Answer | Lost:
        """Post and read the response. A failure is a value; redirects are not followed: they would carry the key on."""
        began = monotonic()
        try:
            async with self._session.post(self._url, data=body, allow_redirects=False) as response:
                data = await response.read()
                headers = response.headers
                return Answer(
                    status=response.status,
                    body=data,
                    retry_after=headers.get("Retry-After"),
                    retry_after_ms=headers.get("Retry-After-Ms"),
                    date=headers.get("Date"),
                    location=headers.get("Location"),
                    seconds=monotonic() - began,
                )
        except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError) as error:
            return Lost(why="insecure", what=f"no secure connection ({_words(error)})")
        except aiohttp.ClientConnectorError as error:
            return Lost(why="unreachable", what=f"no connection ({error.os_error.strerror or error.os_error})")
        except aiohttp.ServerTimeoutError:  # of the connection: there is no other limit but the whole
            return Lost(why="unreachable", what=f"no connection within {min(self._seconds, _CONNECT):g} s")
        except TimeoutError:
            return Lost(why="late", what=f"no reply within {self._seconds:g} s")
        except (aiohttp.ClientError, ConnectionError) as error:
            return Lost(why="broken", what=f"the connection broke ({_words(error)})")

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()

    def abandon(self) -> None:
        """Let go of connections whose event loop is closed: nobody can close them in an orderly way any more."""
        self._session.detach()


def _words(error: Exception) -> str:
    """The class and the words of an error, never its representation: that of aiohttp's errors shows the headers."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
