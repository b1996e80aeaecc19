"""check_packaging.py SOURCE_FOLDER SCRATCH_FOLDER: checks the recipes for package managers as far as that goes without them.

- Each recipe is of the library's version, and is well-formed: JSON, Python.
- The options for CMake that a recipe sets exist, and with them CMake configures what the recipe builds.
- Every installed file belongs to exactly one of Debian's packages, and each of their patterns matches a file.
- Debian's recipe needs the packages that scripts/setup installs to build.
- docs/install.md names every recipe.
"""

import ast
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys

source, scratch = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
packaging = source / "packaging"
complaints = []


def text(path):
    return (packaging / path).read_text()


def check_versions():
    number = int(re.search(r"^#define TALLY_VERSION (\d+)$", (source / "include/tally/config.hpp").read_text(), re.M)[1])
    version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    named = {
        "vcpkg/tally/vcpkg.json": json.loads(text("vcpkg/tally/vcpkg.json"))["version"],
        "debian/changelog": re.match(r"tally \((.*)-\d+\)", text("debian/changelog"))[1],
    }
    for recipe, says in named.items():
        if says != version:
            complaints.append(f"packaging/{recipe} is of version {says}, expected {version}, that of include/tally/config.hpp")


def check_python():
    for recipe in packaging.rglob("*.py"):
        try:
            ast.parse(recipe.read_text())
        except SyntaxError as problem:
            complaints.append(f"{recipe}:{problem.lineno}: {problem.msg}")


def options_of():
    """The options that each recipe sets, without those that depend on a choice of the user's."""
    direct = r'-D(TALLY_\w+|CMAKE_BUILD_TYPE)=(\w+)'
    found = {recipe: re.findall(direct, text(recipe))
             for recipe in ("debian/rules", "vcpkg/tally/portfile.cmake", "homebrew/tally.rb")}
    found["vcpkg/tally/portfile.cmake"].append(("TALLY_CUDA", "OFF"))
    parts = re.search(r"for part in \((.*)\):", text("conan/conanfile.py"))[1]
    found["conan/conanfile.py"] = [(f"TALLY_BUILD_{part}", "OFF") for part in ast.literal_eval(f"[{parts}]")]
    found["conan/conanfile.py"].append(("TALLY_CUDA", "OFF"))
    spack = text("spack/packages/tally/package.py")
    found["spack/packages/tally/package.py"] = [
        (option, "OFF") for option in re.findall(r'define(?:_from_variant)?\("(TALLY_\w+)"', spack)]
    return found


def check_options():
    """Configures once for each set of options, in one folder, so that CMake checks the compiler once."""
    for recipe, options in options_of().items():
        if len(options) < 3:
            complaints.append(f"packaging/{recipe} sets {len(options)} options for CMake, expected 3 or more")
        (scratch / "CMakeCache.txt").unlink(missing_ok=True)
        run = subprocess.run(
            ["cmake", "-G", "Ninja", "-S", source, "-B", scratch, *(f"-D{name}={value}" for name, value in options)],
            capture_output=True, text=True)
        if run.returncode != 0 or "not used by the project" in run.stderr:
            complaints.append(f"packaging/{recipe}: {run.stdout[-500:]}{run.stderr}")
            continue
        rules = (scratch / "build.ninja").read_text()
        for target, wanted in (("tally_tool", "debian" in recipe or "homebrew" in recipe), ("test_main", False),
                               ("libtally_cpp.a", True)):
            if (target in rules) != wanted:
                complaints.append(f"packaging/{recipe} {'does not build' if wanted else 'builds'} {target}")


def check_debian():
    """Checks the lists of files against the rules for installing that CMake has generated for Debian's options."""
    options = options_of()["debian/rules"]
    (scratch / "CMakeCache.txt").unlink(missing_ok=True)
    subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", scratch, "-DCMAKE_INSTALL_PREFIX=/usr",
                    "-DCMAKE_INSTALL_LIBDIR=lib/triplet", *(f"-D{name}={value}" for name, value in options)],
                   check=True, capture_output=True)
    patterns = []
    for path in packaging.glob("debian/*.install"):
        for line in path.read_text().splitlines():
            pattern, *to = line.split()
            if not to:
                patterns.append((path.stem, pattern))
            elif not (source / pattern).exists():  # a path in the sources, and where it goes
                complaints.append(f"packaging/debian/{path.name}: there is no {pattern}")
    files = set()
    for script in scratch.rglob("cmake_install.cmake"):
        # A component that is left out of `install` is installed by its name alone.
        rules = re.sub(r'^if\(CMAKE_INSTALL_COMPONENT STREQUAL "[^"]*"\)\n.*?^endif\(\)\n', "", script.read_text(), flags=re.M | re.S)
        for call in re.findall(r"file\(INSTALL DESTINATION (.*?)\)\n", rules, re.S):
            folder = re.match(r'"([^"]*)"', call)[1].replace("${CMAKE_INSTALL_PREFIX}", "/usr").lstrip("/")
            for path in re.findall(r'"([^"]+)"', re.split(r"\sFILES\s", call + " FILES ", maxsplit=1)[1]):
                files.add(f"{folder}/{os.path.basename(path)}")
    files = {path for path in files if "/doc/" not in path}  # Debian's own copyright stands there
    if len(files) < 20:
        complaints.append(f"only {len(files)} installed files were found")
    used = set()
    for path in sorted(files):
        owners = {(package, pattern) for package, pattern in patterns
                  if fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(path, pattern + "/*")}
        used |= owners
        if len({package for package, _ in owners}) != 1:
            complaints.append(f"/{path} belongs to {len(owners)} of Debian's packages, expected 1")
    for package, pattern in set(patterns) - used:
        complaints.append(f"packaging/debian/{package}.install: nothing is installed as {pattern}")


def check_build_dependencies():
    setup = re.search(r'^to_build="(.*?)"', (source / "scripts/setup").read_text(), re.M | re.S)[1].split()
    needed = set(setup) - {"g++", "ninja-build", "ccache"}  # what builds, where dpkg-buildpackage has its own
    field = re.search(r"^Build-Depends:(.*?)^\S", text("debian/control"), re.M | re.S)[1]
    listed = {entry.split()[0] for entry in field.split(",")}
    for package in sorted(needed - listed):
        complaints.append(f"packaging/debian/control: Build-Depends has no {package}, which scripts/setup installs")


def check_document():
    document = (source / "docs/install.md").read_text()
    for folder in ("vcpkg", "conan", "spack", "homebrew"):
        if f"packaging/{folder}" not in document:
            complaints.append(f"docs/install.md does not name packaging/{folder}")


scratch.mkdir(parents=True, exist_ok=True)
check_versions()
check_python()
if not complaints:  # else the recipes cannot be read
    check_options()
    check_debian()
    check_build_dependencies()
check_document()
for complaint in complaints:
    print(complaint)
sys.exit(1 if complaints else 0)
