# SPDX-License-Identifier: Apache-2.0
"""Runs the case table between a guest and an RTL node and prints what came of it."""
import argparse
import shutil
import signal
import sys
import tempfile
import time

from interop_parts import perftest
from interop_parts.bridge import Bridge, Node
from interop_parts.cases import CASES, Failure, Pair
from interop_parts.endpoint import EndpointError, Missing
from interop_parts.guest import Guest

OK, SKIPPED, NONE = "ok", "skipped", "-"


class Results:
    """Rows in order, a result a direction."""

    def __init__(self, directions):
        self.directions = directions
        self.rows = {}
        self.reasons = []

    def set(self, name, direction, result, reason=""):
        self.rows.setdefault(name, {})[direction] = result
        if reason:
            self.reasons.append(f"{name}, {direction}: {reason}")

    def failed(self):
        return any(result in ("FAILED", "missing") for row in self.rows.values() for result in row.values())

    def table(self):
        lines = [f"| operation | {' | '.join(self.directions)} |", "|---" * (1 + len(self.directions)) + "|"]
        for name, row in self.rows.items():
            lines.append(f"| {name} | " + " | ".join(row.get(d, NONE) for d in self.directions) + " |")
        return "\n".join(lines)


def attempt(results, name, direction, function):
    """Runs one case; whatever it throws is its result, except that the machinery itself broke."""
    start = time.monotonic()
    try:
        function()
        results.set(name, direction, OK)
    except Missing as error:
        results.set(name, direction, "missing", str(error))
    except (Failure, EndpointError) as error:
        results.set(name, direction, "FAILED", str(error))
    took = time.monotonic() - start
    print(f"{name:32} {direction:14} {results.rows[name][direction]:8} {took:5.1f} s", file=sys.stderr, flush=True)


def run_cases(results, a, b, bridge, wanted):
    """Every case in both directions between the ends a and b."""
    for end in (a, b):
        end.open()
    for name, function in CASES:
        if not wanted(name):
            continue
        for direction, ends in zip(results.directions, ((a, b), (b, a))):
            pair = Pair(*ends, bridge)
            attempt(results, name, direction, lambda f=function, p=pair: f(p))
            bridge.fault()


def run_perftest(results, guest, bridge, wanted):
    for test in perftest.TESTS:
        if not wanted(test.program):
            continue
        for direction, run in zip(results.directions, (perftest.guest_is_client, perftest.guest_is_server)):
            attempt(results, test.program, direction, lambda r=run, t=test: r(t, guest, bridge))


def main():
    parser = argparse.ArgumentParser(prog="tools/interop")
    parser.add_argument("--guest", help="folder of the built guest")
    parser.add_argument("--no-guest", action="store_true", help="the cases between two RTL nodes; needs no packages")
    parser.add_argument("--program", required=True, help="the program caravan")
    parser.add_argument("--skip", help="why nothing can be run")
    parser.add_argument("--only", default="", help="only cases whose name has this word in it")
    parser.add_argument("--frames", help="write every frame to this pcapng file")
    arguments = parser.parse_args()
    wanted = lambda name: arguments.only.lower() in name.lower()
    results = Results(("RTL 0 -> RTL 1", "RTL 1 -> RTL 0") if arguments.no_guest else ("guest -> RTL", "RTL -> guest"))
    if arguments.skip:
        print(f"caravan interop: {arguments.skip}: every case is skipped", file=sys.stderr)
        for name in [name for name, _ in CASES] + [test.program for test in perftest.TESTS]:
            for direction in results.directions:
                results.set(name, direction, SKIPPED)
        print(results.table())
        return 0
    start = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that guest and bridge are ended too
    folder = tempfile.mkdtemp(prefix="caravan-interop-")
    bridge = guest = None
    try:
        bridge = Bridge(arguments.program, folder, arguments.frames)
        if arguments.no_guest:
            run_cases(results, Node(bridge, 0), Node(bridge, 1), bridge, wanted)
        else:
            guest = Guest(arguments.guest, folder, bridge.frames)
            print(f"guest ready after {time.monotonic() - start:.1f} s", file=sys.stderr)
            guest.begin_peer()
            run_cases(results, guest, bridge, bridge, wanted)
            guest.end_peer()
            run_perftest(results, guest, bridge, wanted)
    finally:
        for part in (guest, bridge):
            if part:
                part.stop()
    shutil.rmtree(folder)
    print(results.table())
    for reason in results.reasons:
        print(reason)
    print(f"{time.monotonic() - start:.0f} s")
    return 1 if results.failed() else 0


if __name__ == "__main__":
    sys.exit(main())
