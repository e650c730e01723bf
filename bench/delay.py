"""A road of some milliseconds to a local port: what a client sends arrives so much later, and so do the answers.

usage: delay.py PORT MILLISECONDS

Prints the port that it listens on. MILLISECONDS is one round trip: half of it is added each way. A connection takes one, too,
which the client does not see on loopback: its first bytes are held back for it.
"""
import queue
import socket
import sys
import threading
import time


# So early a sleep ends: it ends late by as much, twice a round trip, which would count as the road's.
EARLY = 0.0003


def wait_until(moment):
    time.sleep(max(0.0, moment - EARLY - time.monotonic()))
    while time.monotonic() < moment:
        pass


def carry(source, target, way, held):
    """Bytes of one direction, each piece `way` seconds late, the first `held` seconds more."""
    pieces = queue.SimpleQueue()

    def deliver():
        try:
            while (piece := pieces.get())[1]:
                wait_until(piece[0])
                target.sendall(piece[1])
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the other side hung up

    threading.Thread(target=deliver, daemon=True).start()
    opened = time.monotonic() + held
    while True:
        try:
            data = source.recv(65536)
        except OSError:
            data = b''
        pieces.put((max(time.monotonic(), opened) + way, data))
        if not data:
            return


def main():
    port, round_trip = int(sys.argv[1]), float(sys.argv[2]) / 1000
    listener = socket.create_server(('127.0.0.1', 0), backlog=64)
    print(listener.getsockname()[1], flush=True)
    while True:
        client = listener.accept()[0]
        server = socket.create_connection(('127.0.0.1', port))
        for one in (client, server):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for source, target, held in ((client, server, round_trip), (server, client, 0)):
            threading.Thread(target=carry, args=(source, target, round_trip / 2, held), daemon=True).start()


if __name__ == '__main__':
    main()
