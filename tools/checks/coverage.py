# SPDX-License-Identifier: Apache-2.0
"""Table of the endpoint's functional coverage from Verilator's coverage files; entry: tools/coverage.

A cell is a combination of opcode, length class, QP state and outcome (responder), or of response, syndrome, length class,
QP and outcome (requester). may_be() and may_do() say which cells can be; one of those that was never reached is a hole, one that
was reached though it cannot be is an error. Either fails.
"""
import collections
import pathlib
import sys

RESPONDER = "opcode_x_length_x_state_x_result"
REQUESTER = "response_x_says_x_payload_x_sends_x_effect"
RECEIVING = ("RTR", "RTS", "SQD")


def may_be(opcode, length, state, result):
    """Whether the responder may come to `result` on a packet of this kind."""
    datagram = opcode.startswith("UD_")
    send, write = opcode.startswith("SEND_"), opcode.startswith("WRITE_")
    first, only = opcode.endswith("_FIRST"), "_ONLY" in opcode
    middle = opcode.endswith("_MIDDLE")
    imm, refused = opcode.endswith("_IMM"), opcode.endswith("_INV")
    # The parser drops payload behind an opcode that has none.
    if not (datagram or send or write) and length != "zero":
        return False
    if state not in RECEIVING:
        return result == "drop_qp"
    if result in ("drop_qp", "drop_peer"):  # drop_qp: it failed
        return True
    if opcode == "CNP":  # of both services
        return result == "accepted"
    if result == "drop_op":  # an RC opcode on a UD QP, or the reverse
        return True
    if datagram:
        return result == "drop_rq" or (result == "accepted" and length != "over")
    if result in ("duplicate", "nak_seq", "silent", "nak_invalid"):
        return True
    # From here on the packet is in its place and has the length that its opcode asks for.
    if refused or length == "over" or ((first or middle) and length != "pmtu"):
        return False
    if (send or write) and not (first or middle or only) and length == "zero":
        return False
    if result == "accepted":
        return True
    if result == "nak_access":
        return not send
    if result == "rpc":
        return write and only and length == "beat"
    if result == "rnr":  # a SEND has its buffer from its first packet on
        return (send and (first or only)) or (write and imm)
    if result == "nak_op":
        return send and length != "zero"
    return False


def may_do(response, says, payload, sends, effect):
    """Whether the requester may do `effect` on a response of this kind."""
    if not response.startswith("READ_RESP") and payload != "zero":
        return False
    if response == "READ_RESP_MIDDLE" and says != "ack":  # it has no AETH
        return False
    if sends == "dead" or says == "reserved":
        return effect == "stale"
    if effect in ("stale", "go_back", "fail"):  # go_back, fail: the answer to a READ or an atomic before it is lost
        return True
    return effect == {"ack": "advance", "rnr": "rnr_wait"}.get(says)


def points(folder):
    """Hits of every bin, summed over files: {(coverpoint, bin): hits}."""
    hits = collections.Counter()
    for path in sorted(pathlib.Path(folder).rglob("*.dat")):
        for line in path.read_text(errors="replace").splitlines():
            if not line.startswith("C '"):
                continue
            key, _, count = line[3:].rpartition("' ")
            fields = dict(f.split("\x02", 1) for f in key.split("\x01") if "\x02" in f)
            name = fields.get("h", "").split(".")
            if len(name) >= 3:
                hits[(name[1], ".".join(name[2:]))] += int(count)
    return hits


def judge(hits, cross, allowed):
    """Cells of one cross: (reached, possible, holes, impossible ones that were reached)."""
    cells = {tuple(name.split("_x_")): count for (point, name), count in hits.items() if point == cross}
    holes = [c for c, count in cells.items() if allowed(*c) and not count]
    wrong = [c for c, count in cells.items() if not allowed(*c) and count]
    possible = sum(allowed(*c) for c in cells)
    return cells, possible, holes, wrong


def table(cells, allowed, key):
    """Rows by the first field, columns by the last: reached / possible."""
    columns = list(dict.fromkeys(c[-1] for c in cells))
    print(f"\n{key:<20}" + "".join(f"{c:>12}" for c in columns))
    for row in dict.fromkeys(c[0] for c in cells):
        texts = []
        for column in columns:
            own = [c for c in cells if c[0] == row and c[-1] == column and allowed(*c)]
            reached = sum(1 for c in own if cells[c])
            texts.append(f"{reached}/{len(own)}" if own else ".")
        print(f"{row:<20}" + "".join(f"{t:>12}" for t in texts))


def main(folder):
    hits = points(folder)
    if not hits:
        print(f"{folder}: no coverage file with bins", file=sys.stderr)
        return 1
    bad = 0
    for name, cross, allowed in (("responder", RESPONDER, may_be), ("requester", REQUESTER, may_do)):
        cells, possible, holes, wrong = judge(hits, cross, allowed)
        table(cells, allowed, name)
        print(f"{name}: {possible - len(holes)} of {possible} possible cells reached ({len(cells)} combinations); "
              f"unexplained holes: {len(holes)}; reached though impossible: {len(wrong)}")
        for text, found in (("hole", holes), ("impossible", wrong)):
            for cell in found[:40]:
                print(f"  {text}: {' '.join(cell)}")
        bad += len(holes) + len(wrong) + (not cells)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
