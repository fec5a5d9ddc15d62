# SPDX-License-Identifier: Apache-2.0
"""clang-format, clang-tidy's chosen checks as errors, and: each header compiles alone."""
import json
import re
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor

from checks.project import ROOT, Findings, jobs, relative, run, tracked


def tool(name):
    return shutil.which(f"{name}-14") or shutil.which(name) or f"{name}-14"


def check_format(fix=False):
    findings = Findings("clang-format")
    files = [str(p) for p in tracked("*.cpp", "*.hpp")]
    if fix:
        run([tool("clang-format"), "-i", *files])
        return findings.report()
    result = run([tool("clang-format"), "--dry-run", "-Werror", *files])
    if result.returncode and "code should be clang-formatted" not in result.stderr:
        findings.add(".clang-format", result.stderr.strip())
        return findings.report()
    bad = {line.split(":")[0] for line in result.stderr.splitlines() if "error:" in line}
    for path in sorted(bad):
        findings.add(path.replace(str(ROOT) + "/", ""), "is not formatted (tools/lint --fix formats)")
    return findings.report()


def compile_database():
    path = ROOT / "build/dev/compile_commands.json"
    return json.loads(path.read_text()) if path.is_file() else []


def check_tidy():
    findings = Findings("clang-tidy")
    if not compile_database():
        findings.add("build/dev", "no compile_commands.json: run tools/test or `cmake --preset dev` first")
        return findings.report()
    files = [str(p) for p in tracked("models/*.cpp", "verilator/*.cpp", "sim/*.cpp", "workloads/*.cpp")]
    with ThreadPoolExecutor(jobs()) as pool:
        results = pool.map(lambda f: (f, run([tool("clang-tidy"), "-p", str(ROOT / "build/dev"), "--quiet", "--warnings-as-errors=*", f])), files)
        for name, result in results:
            for line in result.stdout.splitlines():
                if ": error:" in line or ": warning:" in line:
                    findings.add("tidy", line.replace(str(ROOT) + "/", ""))
    return findings.report()


def check_headers_alone():
    findings = Findings("each header compiles alone")
    systemc = run(["pkg-config", "--cflags", "systemc"]).stdout.split()
    homes = list(ROOT.glob(".venv/lib/python3*/site-packages/verilator/share/verilator/include"))
    verilated = [f"-isystem{d}" for home in homes for d in (home, home / "vltstd")]
    flags = ["-std=c++20", "-fsyntax-only", "-x", "c++", f"-I{ROOT}", "-DSC_CPLUSPLUS=201703L", "-DSC_INCLUDE_DYNAMIC_PROCESSES",
             '-DCARAVAN_SOURCE_DIR=""', '-DCARAVAN_BINARY_DIR=""', *systemc, *verilated]
    # Headers that Verilator makes: a header that needs one is checked when a build has made it.
    generated = {d.name: d for d in ROOT.glob("build/*/**/v_*") if (d / f"V{d.name[2:]}.h").is_file()}
    flags += [f"-isystem{d}" for d in generated.values()]

    def checkable(path):
        needs = re.findall(r'#include "V(\w+?)(?:__Syms|___024root)?\.h"', path.read_text())
        return all(f"v_{name}" in generated for name in needs)

    def compile_one(path):
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as source:
            source.write(f'#include "{relative(path)}"\n')
            source.flush()
            return path, run(["g++", *flags, source.name])

    with ThreadPoolExecutor(jobs()) as pool:
        for path, result in pool.map(compile_one, filter(checkable, tracked("*.hpp"))):
            if result.returncode:
                findings.add(relative(path), result.stderr.splitlines()[0] if result.stderr else "does not compile")
    return findings.report()
