# SPDX-License-Identifier: Apache-2.0
"""The unmodified perftest programs in the guest, with an RTL node at the far end. What perftest says over TCP is answered here; the
node does the RDMA. Version 4.5: the client speaks first and both sides say the same kinds of messages in turn:

    version (16 bytes), 4 bytes, 4 bytes, MTU code (2 bytes);
    keys (108 bytes of text: QPN, PSN, rkey, address, GID), several times, before and after the data;
    reports (8 bytes each; bandwidth tests); "done"."""
import contextlib
import os
import re
import select
import socket
import time
from dataclasses import dataclass

from interop_parts.cases import Failure, PATIENCE, REGION, VA, expect
from interop_parts.endpoint import EndpointError
from interop_parts.guest import TCP_SERVER

MTU = 1024
PSN = 0x3C0FFE
RECEIVE, SEND = 0x100000, 0  # offsets in the node's region
VERSION = b"6.06".ljust(16, b"\0")
KEY_BYTES, DONE = 108, b"done\0"
KEY = "{lid:04x}:{reads:04x}:{qpn:06x}:{psn:06x}:{rkey:08x}:{va:016x}:{gid}:{srq:08x}:\0"


@dataclass
class Test:
    program: str
    size: int
    iterations: int
    keys_before: int  # rounds of keys before the data
    after: str  # what follows the data: k keys, r report, d done


TESTS = [Test("ib_write_bw", 16384, 20, 3, "krrrrrkd"), Test("ib_write_lat", 64, 20, 4, ""),
         Test("ib_read_bw", 16384, 20, 3, "krrrrrkd"), Test("ib_read_lat", 64, 20, 4, "kd"),
         Test("ib_send_bw", 8192, 20, 4, "kd"), Test("ib_send_lat", 64, 20, 4, "kd"),
         Test("ib_atomic_lat", 8, 20, 4, "kd")]


class Channel:
    """The TCP conversation, whichever side began it."""

    def __init__(self, connection):
        connection.settimeout(60)
        self.connection = connection
        self.buffer = b""

    def read(self, count, may_end=False):
        """Exactly `count` bytes; with `may_end` nothing when the other side has closed before."""
        while len(self.buffer) < count:
            data = self.connection.recv(65536)
            if not data and may_end and not self.buffer:
                return b""
            expect(data, f"perftest closed the connection; {self.buffer!r} was left")
            self.buffer += data
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def waiting(self):
        return bool(self.buffer) or bool(select.select([self.connection], [], [], 0.01)[0])

    def send(self, data):
        self.connection.sendall(data)


class Keys:
    """What a key message holds."""

    def __init__(self, message):
        fields = message.rstrip(b"\0").decode().split(":")
        self.qpn, self.psn, self.rkey, self.va = (int(field, 16) for field in fields[2:6])
        gid = [int(field, 16) for field in fields[6:22]]
        self.ip = ".".join(str(byte) for byte in gid[12:])


class Node:
    """The RTL node as one side of perftest."""

    def __init__(self, test, endpoint):
        self.test, self.node = test, endpoint
        endpoint.open()
        endpoint.region(VA, REGION)
        endpoint.qpn = endpoint.value("qp rc 64", "qpn")
        self.peer = None

    def message(self):
        gid = ":".join(f"{byte:02x}" for byte in bytes(10) + b"\xff\xff" + socket.inet_aton(self.node.ip))
        text = KEY.format(lid=0, reads=1, qpn=self.node.qpn, psn=PSN, rkey=self.node.rkey,
                          va=VA + RECEIVE, gid=gid, srq=0)
        return text.encode()

    def connect(self, peer):
        if self.peer:
            return
        self.peer = peer
        self.node.ask(f"rtr {MTU} {peer.qpn:#x} {peer.psn:#x} ::ffff:{peer.ip} 12")
        self.node.ask(f"rts {PSN:#x} 18 7 7")
        if self.test.program.startswith("ib_send"):
            for _ in range(self.test.iterations):
                self.node.ask(f"recv {RECEIVE} {self.test.size}")

    def completed(self, count=1):
        """Waits for completions; a generator, so that the conversation goes on meanwhile."""
        end = time.monotonic() + PATIENCE
        while count:
            done = self.node.poll(count, 0)
            expect(done or time.monotonic() < end, f"{count} completions did not come within {PATIENCE} s")
            for completion in done:
                expect(completion.status == "success", f"completion '{completion.status}'")
            count -= len(done)
            if count:
                yield

    def byte_written(self, value):
        end = time.monotonic() + PATIENCE
        while self.node.get(RECEIVE + self.test.size - 1, 1)[0] != value:
            expect(time.monotonic() < end, f"the peer's write {value} did not come within {PATIENCE} s")
            yield

    def write_byte(self, value):
        self.node.set(SEND + self.test.size - 1, bytes([value]))
        self.node.ask(f"write {SEND} {self.test.size} {self.peer.va:#x} {self.peer.rkey:#x}")
        yield from self.completed()

    def data(self, client):
        """What this side does in the data phase. The server begins with a WRITE, the client with a SEND."""
        program, size, count = self.test.program, self.test.size, self.test.iterations
        if program == "ib_write_lat":
            for i in range(1, count + 1):
                for step in (self.byte_written, self.write_byte)[:: 1 if client else -1]:
                    yield from step(i & 0xFF)
        elif program == "ib_send_lat":
            for _ in range(count):
                if not client:
                    yield from self.completed()
                self.node.ask(f"send {SEND} {size}")
                yield from self.completed(2 if client else 1)
        elif program == "ib_send_bw" and not client:
            yield from self.completed(count)
        elif client:
            yield from self.requests()

    def requests(self):
        remote = f"{self.peer.va:#x} {self.peer.rkey:#x}"
        request = {"ib_write_bw": f"write {SEND} {self.test.size} {remote}", "ib_send_bw": f"send {SEND} {self.test.size}",
                   "ib_read_bw": f"read {SEND} {self.test.size} {remote}", "ib_read_lat": f"read {SEND} {self.test.size} {remote}",
                   "ib_atomic_lat": f"faa {SEND} {remote} 1"}[self.test.program]
        for _ in range(self.test.iterations):
            self.node.ask(request)
            if self.test.program.endswith("_lat"):
                yield from self.completed()
        if self.test.program.endswith("_bw"):
            yield from self.completed(self.test.iterations)


def command(test, server=""):
    size = "" if test.program == "ib_atomic_lat" else f"-s {test.size}"
    return f"timeout 60 {test.program} -d rxe0 -x 1 -F -m {MTU} {size} -n {test.iterations} -u 20 {server}"


def last_lines(output):
    return " / ".join(line.strip() for line in output.splitlines()[-3:])


def check_output(status, output, has_result):
    expect(status == 0, f"exit status {status}: " + last_lines(output))
    if has_result:
        expect(re.search(r"^ *\d+ +\d+ +[\d.]+", output, re.MULTILINE), "no result: " + last_lines(output))


def serve(channel, node):
    """The server's side, until the client is done. The data phase is not announced: it runs beside the conversation. Returns
    what the client said after the parameters: k keys, r report, d done."""
    said = ""
    channel.send(channel.read(16))
    for count in (4, 4, 2):
        channel.send(channel.read(count))
    data = None
    while True:
        while data and not channel.waiting():
            try:
                next(data)
            except StopIteration:
                data = None
        start = channel.read(5, may_end=True)
        if start in (DONE, b""):
            with contextlib.suppress(OSError):  # the client does not wait for it
                channel.send(start)
            expect(data is None, "the client was done before the node")
            return said + ("d" if start else "")
        if not re.match(rb"[0-9a-f]{4}:", start):
            channel.send(start + channel.read(3))
            said += "r"
            continue
        keys = Keys(start + channel.read(KEY_BYTES - 5))
        if not node.peer:
            node.connect(keys)
            data = node.data(client=False)
        channel.send(node.message())
        said += "k"


def guest_is_client(test, guest, bridge):
    node = Node(test, bridge)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(guest.tcp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(guest.tcp_path)
        listener.listen(1)
        listener.settimeout(60)
        guest.start(command(test, TCP_SERVER))
        with talking(guest, has_result=True):
            with listener.accept()[0] as connection:
                said = serve(Channel(connection), node)
        expected = "k" * test.keys_before + test.after
        expect(said == expected, f"the client said '{said}', where we say '{expected}'")


def begin(port):
    """Connects to perftest in the guest. QEMU accepts before the guest listens, and closes again."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        connection = socket.create_connection(("127.0.0.1", port))
        channel = Channel(connection)
        with contextlib.suppress(OSError):
            channel.send(VERSION)
            if channel.read(16, may_end=True):
                return connection, channel
        connection.close()
        time.sleep(0.2)
    raise Failure(f"perftest in the guest did not answer within {PATIENCE} s")


def guest_is_server(test, guest, bridge):
    node = Node(test, bridge)
    guest.start(command(test))
    with talking(guest, has_result=False):
        connection, channel = begin(guest.host_port)
        with connection:
            ask = lambda message: (channel.send(message), channel.read(len(message)))[1]
            for message in (b"\0\0\x10\0", b"\0\0\0\x40", b"3\0"):
                ask(message)
            for _ in range(test.keys_before):
                node.connect(Keys(ask(node.message())))
            for _ in node.data(client=True):
                pass
            for kind in test.after:
                ask({"k": node.message(), "r": bytes(8), "d": DONE}[kind])


@contextlib.contextmanager
def talking(guest, has_result):
    """Around the conversation: whatever happens in it, perftest in the guest ends, and both must be content."""
    failure = None
    try:
        yield
    except (Failure, EndpointError, OSError) as error:
        failure = error
    status, output = guest.finish(120)
    if isinstance(failure, EndpointError):
        raise failure
    if failure:
        raise Failure(f"{failure}; " + last_lines(output))
    check_output(status, output, has_result)
