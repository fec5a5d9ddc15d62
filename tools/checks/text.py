# SPDX-License-Identifier: Apache-2.0
"""Checks on the text of files: caps, licence lines, ASCII, waivers with reasons, names in the test plan and in docs."""
import re

from checks.project import LAWS, ROOT, Findings, relative, tracked

CODE = ("*.sv", "*.svh", "*.vlt", "*.cpp", "*.hpp", "*.py", "*.cmake", "CMakeLists.txt")
SPDX = "SPDX-License-Identifier: Apache-2.0"


def check_caps(findings):
    allow = LAWS["caps"]["allow"]
    for kind, patterns in (("rtl", ("rtl/*.sv",)), ("cpp", ("*.cpp", "*.hpp"))):
        for path in tracked(*patterns):
            name, lines = relative(path), len(path.read_text().splitlines())
            if lines > LAWS["caps"][kind]["hard"] and name not in allow:
                findings.add(name, f"{lines} lines, over the hard cap of {LAWS['caps'][kind]['hard']}; find the two modules in it")
            elif lines > LAWS["caps"][kind]["soft"]:
                print(f"note: {name} has {lines} lines, over the soft cap")
    for name in allow:
        if not (ROOT / name).is_file():
            findings.add("tools/checks/laws.toml", f"caps.allow names {name}, which does not exist")


def check_headers(findings):
    for path in tracked(*CODE):
        text = path.read_bytes()
        name = relative(path)
        if name.startswith("testbenches/support/vectors/"):
            continue
        if SPDX not in text[:300].decode("utf-8", "replace") and not name.endswith(".vlt"):
            findings.add(f"{name}:1", f"lacks the line `{SPDX}`")
        if name.endswith((".sv", ".svh")):
            for number, line in enumerate(text.splitlines(), 1):
                if any(byte > 126 for byte in line):
                    findings.add(f"{name}:{number}", "RTL is ASCII only")


def check_waivers(findings):
    for path in tracked("*.vlt"):
        previous = ""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.startswith("lint_off") and not previous.startswith(("//", "lint_off")):
                findings.add(f"{relative(path)}:{number}", "a waiver needs a comment above it that says why it is harmless")
            if line.strip():
                previous = line.strip()
    for path in tracked("rtl/*.sv", "rtl/*.svh"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if "lint_off" in line or "synthesis translate" in line:
                findings.add(f"{relative(path)}:{number}", "no pragma inside the RTL: waive it in the block's .vlt")
            if re.search(r"\$(display|write|monitor)\b|\bimport\s+\"DPI", line):
                findings.add(f"{relative(path)}:{number}", "rtl/ does not know that it is simulated")
    for path in tracked("*.cpp", "*.hpp"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if "NOLINT" in line and not re.search(r"NOLINT\w*(\([^)]*\))?:? *\S+ ", line):
                findings.add(f"{relative(path)}:{number}", "NOLINT needs a reason on its line")


def check_bare_times(findings):
    """No bare integer means a time: units are types."""
    pattern = re.compile(r"\b(u?int(32|64)_t|int|long|unsigned|double)\s+(?!in_|\w*per_us)\w+_(ns|ps|us|latency)\b")
    for path in tracked("models/*.hpp", "sim/*.hpp", "verilator/*.hpp", "workloads/*.hpp"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if pattern.search(line.split("//")[0]):
                findings.add(f"{relative(path)}:{number}", "a time needs the type Time or Cycles")


def check_docs(findings):
    """Every path in back quotes in a document exists."""
    roots = ("rtl/", "models/", "verilator/", "sim/", "testbenches/", "workloads/", "docs/", "tools/", ".ci/")
    for path in tracked("*.md"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for quoted in re.findall(r"`([^`\s]+)`", line):
                if quoted.startswith(roots) and not re.search(r"[<*{$\[]", quoted):
                    if not (ROOT / quoted.split("#")[0].rstrip("/")).exists():
                        findings.add(f"{relative(path)}:{number}", f"names {quoted}, which does not exist")


def check_testplan(findings):
    plan = ROOT / "testbenches/testplan.yaml"
    if not plan.is_file():
        findings.add("testbenches/testplan.yaml", "is missing")
        return
    sources = "\n".join(p.read_text() for p in tracked("testbenches/*.cpp", "testbenches/*/CMakeLists.txt", "testbenches/formal/*"))
    for number, line in enumerate(plan.read_text().splitlines(), 1):
        match = re.match(r"\s*-\s+\"(.+)\"\s*$", line)
        if match and match.group(1) not in sources:
            findings.add(f"testbenches/testplan.yaml:{number}", f"no test is called \"{match.group(1)}\"")


def check():
    findings = Findings("caps, licence lines, ASCII, waivers, documents, test plan")
    for part in (check_caps, check_headers, check_waivers, check_bare_times, check_docs, check_testplan):
        part(findings)
    return findings.report()
