"""Builds the wheel of this folder, for pip and other front ends (PEP 517), with the standard library alone.

The wheel is pure Python: one serves every Python from 3.9 on. It contains libtally.so.1 if there is one: the file that
TALLY_LIBRARY names, else the one of the build folder beside this folder. Without one the package takes the system's.
"""

import base64
import hashlib
import io
import os
import platform
import re
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def _project():
    # No TOML reader is in every Python from 3.9 on; the fields that are needed are one line each.
    text = (HERE / "pyproject.toml").read_text()
    return {key: re.search(rf'^{key} = "(.*)"$', text, re.M)[1] for key in ("name", "version", "description", "requires-python")}


def _metadata():
    project = _project()
    return (
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        f"Summary: {project['description']}\nRequires-Python: {project['requires-python']}\nRequires-Dist: numpy\n"
    )


def _library():
    named = os.environ.get("TALLY_LIBRARY")
    path = Path(named) if named else HERE.parent / "build" / "src" / "c" / "libtally.so.1"
    if named and not path.is_file():
        raise FileNotFoundError(f"TALLY_LIBRARY is {named}, which is not a file")
    return path if path.is_file() else None


def _files(library):
    for path in sorted((HERE / "tally").rglob("*")):
        if path.is_file() and path.suffix in (".py", ".pyi", ".typed") or path.name == "py.typed":
            yield path.relative_to(HERE).as_posix(), path.read_bytes()
    if library is not None:
        yield "tally/libtally.so.1", library.read_bytes()


def _write(folder, library, files):
    project = _project()
    tag = "py3-none-any" if library is None else f"py3-none-linux_{platform.machine()}"
    info = f"{project['name']}-{project['version']}.dist-info"
    files = dict(files)
    files[f"{info}/METADATA"] = _metadata().encode()
    pure = "true" if library is None else "false"
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tally\nRoot-Is-Purelib: {pure}\nTag: {tag}\n".encode()
    record = f"{info}/RECORD"
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    wheel = f"{project['name']}-{project['version']}-{tag}.whl"
    with zipfile.ZipFile(Path(folder) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            # One date for all files: the same sources make the same wheel.
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    library = _library()
    return _write(wheel_directory, library, _files(library))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel with a path to this folder, for `pip install -e`."""
    return _write(wheel_directory, None, {"tally_editable.pth": f"{HERE}\n".encode()}.items())


def build_sdist(sdist_directory, config_settings=None):
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    with tarfile.open(Path(sdist_directory) / f"{stem}.tar.gz", "w:gz") as archive:
        for name in ("pyproject.toml", "build_wheel.py"):
            archive.add(HERE / name, f"{stem}/{name}")
        for name, data in _files(None):
            entry = tarfile.TarInfo(f"{stem}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        metadata = _metadata().encode()
        entry = tarfile.TarInfo(f"{stem}/PKG-INFO")
        entry.size = len(metadata)
        archive.addfile(entry, io.BytesIO(metadata))
    return f"{stem}.tar.gz"
