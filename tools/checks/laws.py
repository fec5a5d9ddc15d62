# SPDX-License-Identifier: Apache-2.0
"""Dependency laws: includes of C++ sources, imports and instances of RTL modules (read with the slang parser)."""
import re

from pyslang import syntax

from checks.project import LAWS, RTL_BLOCKS, ROOT, Findings, block_files, relative, tracked

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def cpp_folder(path):
    """The longest folder of the law table that holds `path`."""
    return max((f for f in LAWS["cpp"] if path.startswith(f + "/")), key=len, default=None)


def check_includes(findings):
    for path in tracked("*.cpp", "*.hpp"):
        name = relative(path)
        folder = cpp_folder(name)
        if folder is None:
            findings.add(name, "this folder is not in tools/checks/laws.toml")
            continue
        allowed = LAWS["cpp"][folder]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                if name.endswith(".hpp") and re.match(r"\s*using\s+namespace\b", line):
                    findings.add(f"{name}:{number}", "`using namespace` in a header")
                continue
            header = match.group(1)
            if header.startswith(("systemc", "tlm", "sysc/")):
                if folder not in LAWS["owned_headers"]["systemc"]:
                    findings.add(f"{name}:{number}", f"only {LAWS['owned_headers']['systemc']} may include {header}")
            elif header.startswith("verilated") or re.match(r"V\w+(___\w+)?\.h$", header):
                if folder not in LAWS["owned_headers"]["verilated"]:
                    findings.add(f"{name}:{number}", f"only {LAWS['owned_headers']['verilated']} may include {header}")
            elif header.startswith("boost/asio"):
                if folder not in LAWS["owned_headers"]["boost/asio"]:
                    findings.add(f"{name}:{number}", f"only {LAWS['owned_headers']['boost/asio']} may include {header}")
            elif "/" in header and (ROOT / header).is_file():
                target = cpp_folder(header)
                if target != folder and not any(target == a or (target or "").startswith(a + "/") for a in allowed):
                    findings.add(f"{name}:{number}", f"{folder} may not include from {target} (allowed: {allowed})")


def names_in(tree):
    """Module and package declarations, instantiated modules and used packages of one syntax tree."""
    declared, instances, packages = set(), set(), set()
    for node in nodes_below(tree.root):
        kind = node.kind
        if kind in (syntax.SyntaxKind.ModuleDeclaration, syntax.SyntaxKind.PackageDeclaration):
            declared.add(node.header.name.valueText)
        elif kind == syntax.SyntaxKind.HierarchyInstantiation:
            instances.add(node.type.valueText)
        elif kind == syntax.SyntaxKind.PackageImportItem:
            packages.add(node.package.valueText)
        elif kind == syntax.SyntaxKind.ScopedName and node.separator.valueText == "::":
            packages.add(str(node.left).strip())
    return declared, instances, packages


def nodes_below(node):
    yield node
    for child in node:
        if isinstance(child, syntax.SyntaxNode):
            yield from nodes_below(child)


def check_rtl(findings):
    owner, parsed = {}, []
    for block in RTL_BLOCKS:
        listed = block_files(block)
        present = set((ROOT / "rtl" / block).glob("*.sv"))
        for path in present - set(listed):
            findings.add(relative(path), f"is not in rtl/{block}/{block}.f")
        for path in set(listed) - present:
            findings.add(relative(path), f"is in rtl/{block}/{block}.f but does not exist")
        for needed in ("README.md", f"{block}_pkg.sv", f"{block}.f", f"{block}.vlt"):
            if not (ROOT / "rtl" / block / needed).is_file():
                findings.add(f"rtl/{block}", f"lacks {needed}")
        for path in sorted(present & set(listed)):
            names = names_in(syntax.SyntaxTree.fromFile(str(path)))
            parsed.append((block, path, names))
            for name in names[0]:
                owner[name] = block
                if name != path.stem:
                    findings.add(relative(path), f"declares {name}: a file holds the one module or package of its name")
                if not name.startswith(block + "_"):
                    findings.add(relative(path), f"{name} lacks the prefix {block}_")
    for block, path, (_, instances, packages) in parsed:
        law = LAWS["rtl"][block]
        for name in sorted(instances):
            other = owner.get(name)
            if other is None:
                findings.add(relative(path), f"instantiates {name}, which no block declares")
            elif other != block and other not in law["uses"]:
                findings.add(relative(path), f"{block} may not instantiate {name} of {other}")
        for name in sorted(packages):
            other = owner.get(name)
            if other and other != block and other not in law["uses"] + law.get("packages", []):
                findings.add(relative(path), f"{block} may not use {name} of {other}")


def check():
    findings = Findings("dependency laws, file lists and prefixes")
    check_includes(findings)
    check_rtl(findings)
    return findings.report()
