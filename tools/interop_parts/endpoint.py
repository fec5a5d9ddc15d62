# SPDX-License-Identifier: Apache-2.0
"""An RDMA endpoint that is driven by lines of text: the guest's rxe_peer and a node behind the bridge speak the same language."""
import re


class EndpointError(Exception):
    """The endpoint answered "err ..."."""


class Missing(EndpointError):
    """The endpoint has no such command."""


COMPLETION = re.compile(r"\[wr=(\d+) ([^\]]*?) op=(\d+) len=(\d+) imm=([0-9a-f]+) f=([0-9a-f]+)\]")


class Completion:
    """One entry of a completion queue."""

    def __init__(self, match):
        self.wr = int(match[1])
        self.status = match[2]
        self.opcode = int(match[3])
        self.length = int(match[4])
        self.immediate = int(match[5], 16)
        self.has_immediate = int(match[6], 16) & 2 != 0  # IBV_WC_WITH_IMM

    def __repr__(self):
        return f"{self.status} (opcode {self.opcode}, {self.length} bytes)"


class Endpoint:
    """`exchange(line, timeout)` sends a line and returns the answer."""

    name = "endpoint"
    port = None  # of the switch
    too_long = "local length error"  # how a receive ends whose message did not fit
    lossy_timeout = None  # local ACK timeout, as exponent, where something is lost

    def exchange(self, line, timeout):
        raise NotImplementedError

    def ask(self, line, timeout=60):
        answer = self.exchange(line, timeout)
        if answer.startswith("err unknown command"):
            raise Missing(f"{self.name} has no command '{line.split()[0]}'")
        if not answer.startswith("ok"):
            raise EndpointError(f"{self.name}: {line} -> {answer}")
        return answer

    def value(self, line, key):
        """The number behind `key=` in the answer."""
        return int(re.search(rf"\b{key}=(0x[0-9a-f]+|\d+)", self.ask(line))[1], 0)

    def open(self):
        self.ip = re.search(r"gid=::ffff:([\d.]+)", self.ask("open 1"))[1]

    def region(self, va, size, access=""):
        self.va = va
        self.rkey = self.value(f"mr {va:#x} {size} {access}", "rkey")

    def poll(self, wanted, seconds):
        answer = self.ask(f"poll {wanted} {int(seconds * 1000)}", seconds + 60)
        return [Completion(m) for m in COMPLETION.finditer(answer)]

    def fill(self, offset, length, seed):
        if length:
            self.ask(f"fill {offset} {length} {seed}")

    def sum(self, offset, length):
        return self.ask(f"sum {offset} {length}").split("=")[1]

    def get(self, offset, length):
        return bytes.fromhex(self.ask(f"get {offset} {length}").partition(" ")[2])

    def set(self, offset, data):
        if data:
            self.ask(f"set {offset} {data.hex()}")

    def get64(self, offset):
        return int.from_bytes(self.get(offset, 8), "little")

    def set64(self, offset, value):
        self.set(offset, (value & (1 << 64) - 1).to_bytes(8, "little"))


def connect(a, b, mtu=1024, psn_a=0x123456, psn_b=0x654321, rnr_timer=12, timeout=(0, 0), retry=6, rnr_retry=7):
    """A fresh queue pair at either end, from RESET to RTS. `timeout`: exponents of a and b, 0: never."""
    for end in (a, b):
        end.qpn = end.value("qp rc 64", "qpn")
    a.ask(f"rtr {mtu} {b.qpn:#x} {psn_b:#x} ::ffff:{b.ip} {rnr_timer}")
    b.ask(f"rtr {mtu} {a.qpn:#x} {psn_a:#x} ::ffff:{a.ip} {rnr_timer}")
    a.ask(f"rts {psn_a:#x} {timeout[0]} {retry} {rnr_retry}")
    b.ask(f"rts {psn_b:#x} {timeout[1]} {retry} {rnr_retry}")
