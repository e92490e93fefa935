"""The web server's process: uvicorn on a socket that the supervisor already holds.

The supervisor binds the port once. So no other program takes it while a web process restarts, and
browsers wait in its queue instead of being refused.
"""

import socket
import sys

import uvicorn


def main() -> None:
    listening = socket.socket(fileno=int(sys.argv[1]))
    config = uvicorn.Config(
        "studio.asgi:application",
        http="studio.http:HeaderTimeoutProtocol",
        loop="uvloop",
        lifespan="off",
        access_log=False,
        server_header=False,
        # An open event stream ends only with its browser; a stop does not wait for it.
        timeout_graceful_shutdown=2,
        timeout_keep_alive=20,
        proxy_headers=False,
    )
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
