"""Describes what went wrong below HTTP: the address, the connection, TLS or the time."""

import ssl

import aiohttp

from workers.core.llm.errors import garbage, permanent, quoted, stream_interrupted, transient
from workers.core.llm.types import LLMError
from workers.core.net.guard import AddressRefused
from workers.core.specs import EndpointSpec


def from_transport(
    endpoint: EndpointSpec, error: BaseException, *, began: bool = False, spoke: bool = False
) -> LLMError:
    """The error of a failed exchange. `began`: the reply had begun; `spoke`: text had come."""
    if isinstance(error, AddressRefused):
        return permanent("address_refused", error.message, error.remedy)
    if isinstance(error, TimeoutError):
        return _timeout(endpoint, error, spoke=spoke)
    if isinstance(error, aiohttp.ClientPayloadError) or began:
        return stream_interrupted(endpoint)
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        return _tls(endpoint, error)
    if isinstance(error, aiohttp.ClientConnectorError):
        return _not_connected(endpoint, error)
    return _broken(endpoint, error)


def _timeout(endpoint: EndpointSpec, error: TimeoutError, *, spoke: bool) -> LLMError:
    where = " in the middle of an answer" if spoke else ""
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return _unreached(endpoint, "the server took too long to accept the connection")
    return transient(
        "timeout",
        f"{endpoint.base_url} was silent for {endpoint.timeout_seconds:g} s{where}.",
        "Raise the endpoint's timeout, or use a faster model.",
    )


def _tls(endpoint: EndpointSpec, error: Exception) -> LLMError:
    return permanent(
        "tls_failed",
        f"There is no secure connection to {endpoint.base_url}: {quoted(str(error), '')}",
        "Check the certificate, or use http:// if the server has no TLS.",
    )


def _not_connected(endpoint: EndpointSpec, error: aiohttp.ClientConnectorError) -> LLMError:
    url = endpoint.base_url
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        host = quoted(error.host, "")
        return transient(
            "dns_failed", f"The host {host} of {url} is unknown.", "Check the host name."
        )
    if isinstance(error.os_error, ConnectionRefusedError):
        return transient(
            "connection_refused",
            f"No server listens at {url}: the connection was refused.",
            "Start the server, or check host and port.",
        )
    return _unreached(endpoint, quoted(error.os_error.strerror or str(error.os_error), ""))


def _unreached(endpoint: EndpointSpec, reason: str) -> LLMError:
    url = endpoint.base_url
    return transient(
        "connection_failed", f"{url} can't be reached: {reason}.", "Check host, port and network."
    )


def _broken(endpoint: EndpointSpec, error: BaseException) -> LLMError:
    if isinstance(error, aiohttp.InvalidURL):
        return permanent(
            "address_refused",
            f"The address {endpoint.base_url} is not valid.",
            "Check the base URL.",
        )
    if isinstance(error, aiohttp.ClientResponseError):
        return garbage(endpoint, "it does not send HTTP")
    return transient(
        "connection_lost",
        f"{endpoint.base_url} closed the connection without an answer.",
        "Check the server's log.",
    )
