# SPDX-License-Identifier: Apache-2.0
"""Table of the responder's functional coverage from Verilator's coverage files; entry: tools/coverage."""
import collections
import pathlib
import sys

CROSS = "opcode_x_length_x_state_x_result"


def points(folder):
    """Hits of every bin, summed over files: {(coverpoint, bin): hits}."""
    hits = collections.Counter()
    for path in sorted(pathlib.Path(folder).glob("*.dat")):
        for line in path.read_text(errors="replace").splitlines():
            if not line.startswith("C '"):
                continue
            key, _, count = line[3:].rpartition("' ")
            fields = dict(f.split("\x02", 1) for f in key.split("\x01") if "\x02" in f)
            name = fields.get("h", "").split(".")
            if len(name) >= 3:
                hits[(name[1], ".".join(name[2:]))] += int(count)
    return hits


def main(folder):
    hits = points(folder)
    if not hits:
        print(f"{folder}: no coverage file with bins", file=sys.stderr)
        return 1
    for point in ("opcode", "length", "state", "result"):
        bins = {b: n for (p, b), n in hits.items() if p == point}
        missed = [b for b, n in bins.items() if n == 0]
        print(f"{point:<8}{len(bins) - len(missed)}/{len(bins)} bins reached" + (f"; never: {', '.join(missed)}" if missed else ""))
    results = [b for (p, b) in hits if p == "result"]
    table = collections.defaultdict(collections.Counter)
    possible = collections.defaultdict(set)
    for (point, name), count in hits.items():
        if point != CROSS:
            continue
        opcode, length, state, result = name.split("_x_")
        possible[opcode].add((length, state))
        if count:
            table[opcode][result] += 1
    print(f"\n{'(length, state) pairs':<22}" + "".join(f"{r:>13}" for r in results))
    for opcode in possible:
        print(f"{opcode:<22}" + "".join(f"{table[opcode][r] or '.':>13}" for r in results))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
