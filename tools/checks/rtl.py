# SPDX-License-Identifier: Apache-2.0
"""Verilator -Wall for every module as a top, verible format and style rules."""
from concurrent.futures import ThreadPoolExecutor

from checks.project import RTL_BLOCKS, ROOT, Findings, block_closure, block_files, jobs, relative, run, tracked, venv_tool, verilator

FORMAT_FLAGS = ["--column_limit=120", "--indentation_spaces=2", "--port_declarations_indentation=indent",
                "--formal_parameters_indentation=indent", "--named_port_indentation=indent",
                "--named_parameter_indentation=indent", "--try_wrap_long_lines=false"]


def lint_module(block, path):
    command = [verilator(), "--lint-only", "--assert", "-Wall", "--quiet", "--top-module", path.stem, f"-I{ROOT}/rtl/prim"]
    for below in block_closure(block):
        waivers = ROOT / "rtl" / below / f"{below}.vlt"
        command += ([str(waivers)] if waivers.is_file() else []) + ["-F", str(ROOT / "rtl" / below / f"{below}.f")]
    return path, run(command)


def check_verilator():
    findings = Findings("verilator -Wall, each module as a top")
    work = [(b, p) for b in RTL_BLOCKS for p in block_files(b) if not p.stem.endswith("_pkg")]
    with ThreadPoolExecutor(jobs()) as pool:
        for path, result in pool.map(lambda w: lint_module(*w), work):
            if result.returncode or "%Warning" in result.stderr:
                findings.add(relative(path), result.stderr.strip() or result.stdout.strip())
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
