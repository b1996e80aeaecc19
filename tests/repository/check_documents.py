"""check_documents.py SOURCE_FOLDER BUILD_FOLDER: checks that the documents are true.

- A relative link leads to a file that exists.
- A ```cpp block is, except for indentation, a contiguous part of a compiled file: one under examples/, include/, src/,
  course/, tool/ or tests/. (```c++ marks a sketch, which is not checked.)
- docs/testing.md lists exactly the paths that the sources name.
- README.md's table of peers has for each instruction set the columns of the newest docs/measurements/*/summary.md that
  has it, as they are.
- ```console blocks are run, all blocks of a document in one folder, with the built tool in PATH. A line `$ command`,
  continued by lines `> ...`, must print the lines after it; a line `...` stands for any number of lines. (```sh is not run.)
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
documents = [*source.glob("*.md"), *source.glob("docs/**/*.md"), *source.glob("bench/**/*.md")]
complaints = []


def squeezed(lines):
    """Returns the lines as one string, without indentation and empty lines, between line ends."""
    return "\n" + "\n".join(line.strip() for line in lines if line.strip()) + "\n"


compiled = [
    squeezed(path.read_text().splitlines())
    for folder in ("examples", "include", "src", "course", "tool", "tests")
    for path in sorted((source / folder).rglob("*.[ch]pp"))
]


def blocks(text):
    """Yields (language, first line number, lines) of every fenced block."""
    language, first, lines = None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if language is None and line.lstrip().startswith("```"):
            language, first, lines = line.strip()[3:], number + 1, []
        elif language is not None and line.strip() == "```":
            yield language, first, lines
            language = None
        elif language is not None:
            lines.append(line)


def check_links(document, text):
    prose = re.sub(r"```.*?```", "", text, flags=re.S)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose) + re.findall(r'src="([^"]+)"', prose):
        if not re.match(r"[a-z]+:", target) and not (document.parent / target).exists():
            complaints.append(f"{document}: the link to {target} leads nowhere")


def columns_of_sets(text):
    """The table of peers in a document: for each instruction set its three columns, as cells by the title of the row."""
    sets, found = [], {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            sets = []
        elif any(cell.endswith(", GB/s") for cell in cells):
            sets = [cell.removesuffix(", GB/s") for cell in cells[1::3]]
        elif len(cells) == 1 + 3 * len(sets) and "---" not in line:
            for k, name in enumerate(sets):
                found.setdefault(name, {})[cells[0]] = cells[1 + 3 * k:4 + 3 * k]
    return found


def check_summary():
    newest = {}
    for summary in sorted(source.glob("docs/measurements/*/summary.md")):
        newest.update((name, (summary, rows)) for name, rows in columns_of_sets(summary.read_text()).items())
    shown = columns_of_sets((source / "README.md").read_text())
    if not shown:
        complaints.append("README.md: there is no table of peers")
    for name, rows in shown.items():
        if name not in newest or rows != newest[name][1]:
            complaints.append(f"README.md: the columns of {name} are not those of {newest.get(name, ['any summary.md'])[0]}")


def check_paths():
    """Checks that the tables of docs/testing.md list exactly the paths that the sources name."""
    named = set()
    for folder in ("include", "src", "tool"):
        for path in sorted((source / folder).rglob("*")):
            if path.is_file():
                text = re.sub(r"//.*", "", path.read_text())
                for call in re.findall(r"\btook\((.*?)\);", text, flags=re.S):
                    named.update(re.findall(r'"([^"]*: [^"]*)"', call))  # and no reasons
                named.update(re.findall(r'"(cuda: [^"]*)"', text))  # the list of kernels names their paths
    listed = set(re.findall(r"`([a-z_ ]+: [^`]*)`", (source / "docs/testing.md").read_text()))
    for path in sorted(named - listed):
        complaints.append(f"docs/testing.md: the path `{path}` of the sources is not listed")
    for path in sorted(listed - named):
        complaints.append(f"docs/testing.md: there is no path `{path}` in the sources")


def check_session(where, lines, folder):
    """Runs the commands of a console block, and compares their output with the block."""
    environment = os.environ | {"PATH": f"{build}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    steps = []
    for line in lines:
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif steps and line.startswith("> ") and not steps[-1][1]:
            steps[-1] = (steps[-1][0] + "\n" + line[2:], [])
        elif steps:
            steps[-1][1].append(line)
    for command, expected in steps:
        ran = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        pattern = "".join(r"(?:.*\n)*" if line.strip() == "..." else re.escape(line.rstrip()) + r"\s*\n" for line in expected)
        printed = ran.stdout if not ran.stdout or ran.stdout.endswith("\n") else ran.stdout + "\n"
        if not re.fullmatch(pattern, printed):
            complaints.append(f"{where}: `{command}` printed\n{ran.stdout}expected\n" + "\n".join(expected))


for document in documents:
    text = document.read_text()
    check_links(document, text)
    with tempfile.TemporaryDirectory() as scratch:
        for language, first, lines in blocks(text):
            where = f"{document}:{first}"
            if language == "cpp" and not any(squeezed(lines) in file for file in compiled):
                complaints.append(f"{where}: this C++ is in no compiled file")
            if language == "console":
                check_session(where, lines, scratch)

check_paths()
check_summary()
print("\n".join(complaints) or f"{len(documents)} documents are true")
sys.exit(1 if complaints else 0)
