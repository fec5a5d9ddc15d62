# SPDX-License-Identifier: Apache-2.0
"""Entry of tools/synth: elaboration of every module, and area estimates, through pyosys with the slang front end."""
import hashlib
import json
import multiprocessing
import os
import sys

from checks.project import ROOT, RTL_BLOCKS, block_closure, block_files, jobs

CACHE = ROOT / "build/synth"
# Modules that must also elaborate with more than their defaults: (block, module, parameter).
SCALED = [("roce", "roce_tx", "NumQps=4096"), ("roce", "roce_rx", "NumQps=4096"), ("hostif", "hostif_top", "NumQps=4096")]


def modules():
    """(block, module) of every module, packages excluded."""
    return [(b, p.stem) for b in RTL_BLOCKS for p in block_files(b) if not p.stem.endswith("_pkg")]


def sources(block):
    return [p for b in block_closure(block) for p in block_files(b)]


def read_command(block, top, parameter=""):
    lists = " ".join(f"-F rtl/{b}/{b}.f" for b in block_closure(block))
    override = f"-G {parameter} " if parameter else ""
    return (f"read_slang -j 1 --ignore-assertions -D SYNTHESIS -I rtl/prim --best-effort-hierarchy {override}--top {top} {lists}")


def quiet_stdout():
    """Yosys writes to the process's own descriptors; the table goes to a copy."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)


def elaborate(task):
    block, top, parameter = task
    from pyosys import libyosys as ys
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(write, 1)
        os.dup2(write, 2)
        try:
            design = ys.Design()
            ys.run_pass(read_command(block, top, parameter), design)
            ys.run_pass("hierarchy -check; proc; check -assert", design)
            status = 0
        except BaseException:
            status = 1
        sys.stdout.flush()
        os._exit(status)
    os.close(write)
    with os.fdopen(read, errors="replace") as pipe:
        log = pipe.read()
    _, status = os.waitpid(child, 0)
    return block, f"{top} {parameter}".strip(), status == 0, log


def run_elaborate(tasks):
    failed = 0
    with multiprocessing.Pool(jobs()) as pool:
        for block, top, good, log in pool.imap(elaborate, tasks):
            if not good:
                failed += 1
                lines = [l for l in log.splitlines() if "error" in l.lower() or "warning" in l.lower()][:12]
                print(f"rtl/{block}: {top} does not elaborate\n  " + "\n  ".join(lines or log.splitlines()[-12:]))
    print(f"{'ok  ' if not failed else 'FAIL'} {len(tasks) - failed} of {len(tasks)} modules elaborate and pass check -assert")
    return 1 if failed else 0


def area(task):
    block, top = task
    digest = hashlib.sha256(top.encode())
    for path in sources(block):
        digest.update(path.read_bytes())
    cached = CACHE / f"{top}-{digest.hexdigest()[:16]}.json"
    if not cached.is_file():
        CACHE.mkdir(parents=True, exist_ok=True)
        stat = cached.with_suffix(".stat")
        child = os.fork()
        if child == 0:
            quiet_stdout()
            from pyosys import libyosys as ys
            design = ys.Design()
            ys.run_pass(read_command(block, top), design)
            ys.run_pass(f"synth_xilinx -family xcup -noiopad -noclkbuf -flatten -top {top}", design)
            ys.run_pass(f"tee -q -o {stat} stat -json", design)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            return block, top, None
        cells = json.loads(stat.read_text())["design"]["num_cells_by_type"]
        stat.unlink()
        cached.write_text(json.dumps(cells))
    cells = json.loads(cached.read_text())
    count = lambda *names: sum(cells.get(n, 0) for n in names)
    lut = sum(v for k, v in cells.items() if k in {f"LUT{i}" for i in range(1, 7)}) + count("SRL16E", "SRLC32E")
    lut += 8 * count("RAM32M16", "RAM64M8") + 4 * count("RAM32M", "RAM64M")
    return block, top, {"LUT": lut, "FF": count("FDRE", "FDSE", "FDCE", "FDPE"),
                        "BRAM36": count("RAMB36E2") + count("RAMB18E2") / 2, "URAM": count("URAM288"), "DSP": count("DSP48E2")}


def run_area(tasks):
    print(f"{'module':<24}{'LUT':>9}{'FF':>9}{'BRAM36':>9}{'URAM':>7}{'DSP':>6}   (estimates of open synthesis)")
    failed = 0
    with multiprocessing.Pool(jobs()) as pool:
        for _, top, figures in pool.imap(area, tasks):
            if figures is None:
                failed += 1
                print(f"{top:<24}  synthesis failed")
            else:
                print(f"{top:<24}{figures['LUT']:>9}{figures['FF']:>9}{figures['BRAM36']:>9g}{figures['URAM']:>7}{figures['DSP']:>6}")
            sys.stdout.flush()
    return 1 if failed else 0


def main(arguments):
    if not arguments or arguments[0] not in ("elaborate", "area"):
        print("usage: tools/synth elaborate|area [MODULE...]", file=sys.stderr)
        return 2
    os.chdir(ROOT)
    chosen = arguments[1:]
    tasks = [t for t in modules() if not chosen or t[1] in chosen]
    unknown = set(chosen) - {m for _, m in tasks}
    if unknown:
        print(f"tools/synth: no module named {sorted(unknown)[0]!r} in rtl/", file=sys.stderr)
        return 2
    if arguments[0] == "area":
        return run_area(tasks)
    return run_elaborate([(b, m, "") for b, m in tasks] + [t for t in SCALED if not chosen or t[1] in chosen])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
