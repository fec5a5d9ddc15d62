# SPDX-License-Identifier: Apache-2.0
"""Verilator -Wall for every module as a top, verible format and style rules."""
import re
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase

from checks.project import RTL_BLOCKS, ROOT, Findings, block_closure, block_files, jobs, relative, run, tracked, venv_tool, verilator

FORMAT_FLAGS = ["--column_limit=120", "--indentation_spaces=2", "--port_declarations_indentation=indent",
                "--formal_parameters_indentation=indent", "--named_port_indentation=indent",
                "--named_parameter_indentation=indent", "--try_wrap_long_lines=false"]


WAIVER = re.compile(r'lint_off -rule (\w+) -file "([^"\[]+)"(?: -match "([^"\[]+)")?')
WARNING = re.compile(r"%Warning-(\w+): ([^:]+):\d+:\d+: (.*)")


def waivers_of(block, findings):
    path = ROOT / "rtl" / block / f"{block}.vlt"
    waivers = []
    for line in path.read_text().splitlines() if path.is_file() else []:
        waiver = WAIVER.fullmatch(line)
        if waiver:
            waivers.append((block, *waiver.groups()))
        elif line and not line.startswith("//") and line != "`verilator_config":
            findings.add(relative(path), f"'{line}' is no waiver by rule, file and text")
    return waivers


def lint_module(block, path):
    """All warnings, waived or not: the waivers are applied here, so that one which nothing needs is found."""
    command = [verilator(), "--lint-only", "--assert", "-Wall", "-Wno-fatal", "--quiet", "--top-module", path.stem, f"-I{ROOT}/rtl/prim"]
    for below in block_closure(block):
        command += ["-F", str(ROOT / "rtl" / below / f"{below}.f")]
    return block, path, run(command)


def check_verilator():
    findings = Findings("verilator -Wall, each module as a top; waivers")
    work = [(b, p) for b in RTL_BLOCKS for p in block_files(b) if not p.stem.endswith("_pkg")]
    waivers = {block: waivers_of(block, findings) for block in RTL_BLOCKS}
    used = set()
    with ThreadPoolExecutor(jobs()) as pool:
        for block, path, result in pool.map(lambda w: lint_module(*w), work):
            lines = result.stderr.replace(f"{ROOT}/", "").splitlines()
            errors = [line for line in lines if line.startswith("%Error")]
            if errors or result.returncode:
                findings.add(relative(path), "\n".join(errors) or f"verilator ended with {result.returncode}: {result.stdout.strip()}")
            known = [waiver for below in block_closure(block) for waiver in waivers[below]]
            for line in {line for line in lines if line.startswith("%Warning")}:
                warning = WARNING.match(line)
                fits = [w for w in known if warning and w[1] == warning[1] and fnmatchcase(warning[2], w[2]) and
                        fnmatchcase(warning[3], w[3] or "*")]
                used.update(fits)
                if not fits:
                    findings.add(relative(path), line)
    for block in RTL_BLOCKS:
        for waiver in waivers[block]:
            if waiver not in used:
                findings.add(f"rtl/{block}/{block}.vlt", f"nothing needs the waiver of {waiver[1]} in {waiver[2]} for {waiver[3] or 'anything'}")
    return findings.report()


def check_format(fix=False):
    findings = Findings("verible-verilog-format")
    files = [p for p in tracked("*.sv", "*.svh")]
    for path in files:
        command = [venv_tool("verible-verilog-format"), *FORMAT_FLAGS]
        if fix:
            run([*command, "--inplace", str(path)])
        elif run([*command, "--verify", str(path)]).returncode:
            findings.add(relative(path), "is not formatted (tools/lint --fix formats)")
    return findings.report()


def check_style():
    findings = Findings("verible-verilog-lint")
    files = [str(p) for p in tracked("rtl/*.sv")]
    result = run([venv_tool("verible-verilog-lint"), f"--rules_config={ROOT}/tools/checks/verible.rules", *files])
    for line in result.stdout.splitlines():
        findings.add("verible", line.replace(str(ROOT) + "/", ""))
    return findings.report()
