# SPDX-License-Identifier: Apache-2.0
"""What is run between the guest's soft RoCE and an RTL node, each in both directions: a table with one function a case."""
from interop_parts.endpoint import connect

VA = 0x20000000
REGION = 2 << 20
SOURCE, TARGET = 0, 1 << 20  # offsets of what is sent and of what is written, at either end
PATIENCE = 30  # seconds for a completion
SUCCESS = "success"

CASES = []


def case(name):
    def register(function):
        CASES.append((name, function))
        return function
    return register


class Failure(AssertionError):
    """A case did not end as it should."""


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Pair:
    """A requester and a responder; the cases see no other difference between the ends."""

    def __init__(self, requester, responder, bridge):
        self.requester, self.responder, self.bridge = requester, responder, bridge
        self.seed = 0

    def begin(self, mtu=1024, lossy=False, access="", **more):
        ends = (self.requester, self.responder)
        for end in ends:
            while end.poll(64, 0):
                pass
        self.requester.region(VA, REGION)
        self.responder.region(VA, REGION, access)
        timeout = tuple(end.lossy_timeout if lossy else 0 for end in ends)
        connect(*ends, mtu=mtu, timeout=timeout, **more)

    def fault(self, to_responder, **keys):
        source, target = self.requester.port, self.responder.port
        if not to_responder:
            source, target = target, source
        self.bridge.fault(from_node=source, to_node=target, **keys)

    def at_responder(self, offset=TARGET):
        return f"{self.responder.va + offset:#x} {self.responder.rkey:#x}"

    def complete(self, status=SUCCESS):
        done = self.requester.poll(1, PATIENCE)
        expect(done, f"no completion within {PATIENCE} s")
        expect(done[0].status == status, f"completion '{done[0].status}' in place of '{status}'")
        return done[0]

    def fresh(self, end, offset, length):
        self.seed = self.seed * 5 + 77 & 0xFF
        end.fill(offset, length, self.seed)

    def equal(self, length, source, target):
        expect(self.requester.sum(source, length) == self.responder.sum(target, length),
               f"the {length} bytes differ at the ends")

    def guard(self, end, offset, length):
        """Marks the bytes around a target; returns what proves that they are still there."""
        marks = ((offset - 8, b"\xa5" * 8), (offset + length, b"\x5a" * 8))
        for at, mark in marks:
            end.set(at, mark)

        def check():
            for at, mark in marks:
                expect(end.get(at, 8) == mark, f"bytes outside of the {length} were written")
        return check

    def write(self, length, odd=0):
        source, target = SOURCE + 16 + odd, TARGET + 64 + odd
        self.fresh(self.requester, source, length)
        check = self.guard(self.responder, target, length)
        self.requester.ask(f"write {source} {length} {self.at_responder(target)}")
        self.complete()
        self.equal(length, source, target)
        check()

    def read(self, length, odd=0):
        target, source = SOURCE + 64 + odd, TARGET + 16 + odd
        self.fresh(self.responder, source, length)
        check = self.guard(self.requester, target, length)
        self.requester.ask(f"read {target} {length} {self.at_responder(source)}")
        self.complete()
        self.equal(length, target, source)
        check()

    def send(self, length, immediate=None, room=None):
        source, target = SOURCE + 16, TARGET + 64
        self.fresh(self.requester, source, length)
        self.responder.ask(f"recv {target} {length if room is None else room}")
        check = self.guard(self.responder, target, length)
        if immediate is None:
            self.requester.ask(f"send {source} {length}")
        else:
            self.requester.ask(f"sendi {source} {length} {immediate:#x} s")
        self.complete()
        self.received(length, immediate, 128)
        self.equal(length, source, target)
        check()

    def received(self, length, immediate, opcode):
        got = self.responder.poll(1, PATIENCE)
        expect(got, "the receive did not complete")
        expect(got[0].status == SUCCESS, f"receive completed with '{got[0].status}'")
        expect(got[0].opcode == opcode and got[0].length == length, f"receive completed as {got[0]}, not {length} bytes")
        expect(got[0].has_immediate == (immediate is not None), "immediate data missing or unasked for")
        expect(immediate is None or got[0].immediate == immediate, f"immediate {got[0].immediate:#x}, sent {immediate}")

    def atomic(self, command, initial, operands, after):
        self.responder.set64(TARGET, initial)
        self.requester.set64(SOURCE, 0x1111111111111111)
        self.requester.ask(f"{command} {SOURCE} {self.at_responder()} " + " ".join(f"{x:#x}" for x in operands))
        self.complete()
        expect(self.requester.get64(SOURCE) == initial, "the original value is wrong")
        expect(self.responder.get64(TARGET) == after, f"memory holds {self.responder.get64(TARGET):#x}, not {after:#x}")


def sizes(mtu):
    return (0, 1, 4, 63, 65, mtu - 1, mtu, mtu + 1, 3 * mtu + 13, 16 * mtu)


@case("WRITE")
def write(p):
    for mtu in (1024, 4096):
        p.begin(mtu)
        for length in sizes(mtu):
            p.write(length, odd=length % 7)


@case("READ")
def read(p):
    for mtu in (1024, 4096):
        p.begin(mtu)
        for length in sizes(mtu):
            p.read(length, odd=length % 7)


@case("SEND")
def send(p):
    for mtu in (1024, 4096):
        p.begin(mtu)
        for length in (0, 1, 65, mtu, mtu + 1, 5 * mtu + 3):
            p.send(length)
    p.send(100, room=200)


@case("SEND with immediate")
def send_immediate(p):
    p.begin()
    for length in (0, 1, 1024, 3000):
        p.send(length, immediate=0xCAFE0000 + length)


@case("WRITE with immediate")
def write_immediate(p):
    p.begin()
    for length in (0, 8, 1024, 3000):
        p.fresh(p.requester, SOURCE, length)
        p.responder.ask(f"recv {TARGET + 65536} 16")
        p.requester.ask(f"writei {SOURCE} {length} {p.at_responder()} {0xBEEF0000 + length:#x}")
        p.complete()
        p.received(length, 0xBEEF0000 + length, 129)
        p.equal(length, SOURCE, TARGET)


@case("FETCH_ADD")
def fetch_add(p):
    p.begin()
    top = (1 << 64) - 1
    for initial, add in ((0, 1), (41, 0x100), (5, top), (top, 2), (1 << 63, 1 << 63)):
        p.atomic("faa", initial, (add,), initial + add & top)


@case("CMP_SWAP")
def compare_swap(p):
    p.begin()
    p.atomic("cas", 7, (7, 0xDEADBEEF01020304), 0xDEADBEEF01020304)
    p.atomic("cas", 7, (8, 9), 7)


@case("RNR, buffer posted late")
def rnr_late(p):
    p.begin(rnr_timer=20)
    p.fresh(p.requester, SOURCE, 2500)
    p.requester.ask(f"send {SOURCE} 2500")
    expect(not p.requester.poll(1, 0.3), "a SEND completed although nothing was posted")
    p.responder.ask(f"recv {TARGET} 2500")
    p.complete()
    p.received(2500, None, 128)
    p.equal(2500, SOURCE, TARGET)


@case("RNR, retries exceeded")
def rnr_exceeded(p):
    p.begin(rnr_timer=12, rnr_retry=2)
    p.requester.ask(f"send {SOURCE} 64")
    p.complete("RNR retry counter exceeded")


def refused(p, request, status, flush=True):
    p.requester.ask(request)
    p.complete(status)
    if flush:
        p.requester.ask(f"write {SOURCE} 8 {p.at_responder()}")
        p.complete("Work Request Flushed Error")


@case("NAK: wrong rkey")
def nak_rkey(p):
    for request in ("write {} 64 {} {:#x}", "read {} 64 {} {:#x}", "faa {} {} {:#x} 1"):
        p.begin()
        before = p.responder.sum(TARGET, 64)
        refused(p, request.format(SOURCE, hex(p.responder.va + TARGET), p.responder.rkey ^ 0x55), "remote access error")
        expect(p.responder.sum(TARGET, 64) == before, "memory was changed")


@case("NAK: outside the region")
def nak_bounds(p):
    for request in ("write", "read"):
        p.begin()
        refused(p, f"{request} {SOURCE} 3000 {p.at_responder(REGION - 2999)}", "remote access error")


@case("NAK: no permission")
def nak_permission(p):
    p.begin(access="ro")
    before = p.responder.sum(TARGET, 64)
    refused(p, f"write {SOURCE} 64 {p.at_responder()}", "remote access error")
    expect(p.responder.sum(TARGET, 64) == before, "memory was changed")
    p.begin(access="noatomic")
    refused(p, f"cas {SOURCE} {p.at_responder()} 0 1", "remote access error")


@case("NAK: SEND longer than the buffer")
def nak_too_long(p):
    p.begin()
    p.responder.ask(f"recv {TARGET} 100")
    refused(p, f"send {SOURCE} 101", "remote operation error")
    got = p.responder.poll(1, PATIENCE)
    expect(got and got[0].status == p.responder.too_long, f"the receive completed with {got}")


def struck(p):
    count = p.bridge.counter("fault0.struck")
    p.bridge.fault()
    expect(count > 0, "the fault rule struck nothing")


@case("loss in WRITE")
def loss_write(p):
    for to_responder, opcode in ((True, "WRITE_FIRST"), (True, "WRITE_MIDDLE"), (True, "WRITE_LAST"), (False, "ACK")):
        p.begin(lossy=True)
        p.fault(to_responder, action="drop", opcode=opcode, shots=1)
        p.write(8 * 1024)
        struck(p)
        p.write(100)


@case("loss in READ")
def loss_read(p):
    for to_responder, opcode in ((True, "READ_REQ"), (False, "READ_RESP_FIRST"), (False, "READ_RESP_MIDDLE"),
                                 (False, "READ_RESP_LAST")):
        p.begin(lossy=True)
        p.fault(to_responder, action="drop", opcode=opcode, shots=1)
        p.read(8 * 1024)
        struck(p)
        p.read(100)


@case("loss in SEND")
def loss_send(p):
    for to_responder, opcode in ((True, "SEND_MIDDLE"), (True, "SEND_LAST"), (False, "ACK")):
        p.begin(lossy=True)
        p.fault(to_responder, action="drop", opcode=opcode, shots=1)
        p.send(8 * 1024)
        struck(p)
        p.send(100)


@case("loss of an atomic's answer")
def loss_atomic(p):
    for command, operands, after in (("faa", (5,), 15), ("cas", (10, 99), 99)):
        p.begin(lossy=True)
        p.fault(False, action="drop", opcode="ATOMIC_ACK", shots=1)
        p.atomic(command, 10, operands, after)
        struck(p)


@case("bad ICRC")
def corrupt(p):
    p.begin(lossy=True)
    p.fault(True, action="corrupt", opcode="WRITE_MIDDLE", corrupt_offset=100, corrupt_mask=16, shots=1)
    p.write(8 * 1024)
    struck(p)


@case("duplicates")
def duplicates(p):
    for to_responder in (True, False):
        p.begin(lossy=True)
        p.fault(to_responder, action="duplicate")
        p.write(5000)
        p.read(5000)
        p.send(5000)
        for i in range(3):
            p.atomic("faa", i, (3,), i + 3)
        struck(p)


@case("5 % loss")
def random_loss(p):
    p.begin(lossy=True)
    for to_responder in (True, False):
        p.fault(to_responder, action="drop", probability=0.05)
        p.write(64 * 1024)
        p.read(64 * 1024)
        p.send(64 * 1024)
        p.bridge.fault()


@case("retry limit exceeded")
def retry_exceeded(p):
    p.begin(lossy=True, retry=2)
    p.fault(True, action="drop")
    p.requester.ask(f"write {SOURCE} 64 {p.at_responder()}")
    p.complete("transport retry counter exceeded")
    struck(p)


@case("PSN wrap")
def psn_wrap(p):
    p.begin(psn_a=0xFFFFFE, psn_b=0xFFFFFD)
    p.write(8 * 1024)
    p.begin(psn_a=0xFFFFFC, psn_b=0xFFFFFF)
    p.read(8 * 1024)
    p.begin(psn_a=0xFFFFFF, psn_b=0)
    p.send(2500)
    p.write(64)
