"""Builds the wheel (PEP 517) with CMake and the standard library alone, so that `pip install .` needs no net.

    pip install .                       the library of this build, which uses the machine's HDF5 and libyaml
    VISVIVA_BUNDLE=1 pip wheel .        the wheel carries these libraries too, for machines without them (make wheel)
    python3 python/backend.py FOLDER    the same without pip
"""
from __future__ import annotations

import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "visviva"
# What every Linux machine of this kind has, and what must be the machine's own.
EVERYWHERE = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|gcc_s|nsl|anl))\.so")


def version() -> str:
    text = (ROOT / "include/visviva/base.h").read_text()
    return re.search(r'#define VV_VERSION\s+"([^"]+)"', text).group(1)


def tag() -> str:
    system = "macosx_" if sys.platform == "darwin" else ""
    where = sysconfig.get_platform().replace("-", "_").replace(".", "_") if system else f"linux_{platform.machine()}"
    return f"py3-none-{where}"


def metadata() -> str:
    readme = (ROOT / "README.md").read_text()
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\nSummary: Simulation of impact that keeps its books\n"
            "License: MIT\nRequires-Python: >=3.9\nRequires-Dist: numpy\nDescription-Content-Type: text/markdown\n\n" + readme)


def run(*command: str, **more) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        sys.exit(f"visviva: `{' '.join(command)}` failed:\n{done.stdout[-4000:]}\n"
                 "It needs a C compiler, CMake 3.20, pkg-config, libyaml and HDF5 (Debian: gcc cmake pkg-config libyaml-dev "
                 "libhdf5-dev).")
    return done.stdout


def build(folder: pathlib.Path) -> None:
    """Library and program, stripped, the program looking for the library one folder up."""
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run("cmake", "-S", str(ROOT), "-B", str(folder), *generator, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=ON",
        "-DVV_TESTS=OFF", "-DVV_BENCH=OFF", "-DCMAKE_C_FLAGS_RELEASE=-O3 -DNDEBUG", "-DCMAKE_INSTALL_PREFIX=/usr",
        "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON", "-DVV_WHEEL=ON", "-DVV_PACKAGE=ON",
        *os.environ.get("CMAKE_ARGS", "").split())
    run("cmake", "--build", str(folder), "--target", "vv_shared", "visviva", "-j", str(os.cpu_count() or 2))


def needed(library: pathlib.Path) -> dict[str, str]:
    """What the loader would take for a library: name -> path."""
    found = {}
    for line in run("ldd", str(library)).splitlines():
        match = re.match(r"\s*(\S+) => (/\S+)", line)
        if match and not EVERYWHERE.match(match.group(1)):
            found[match.group(1)] = match.group(2)
    return found


def collect(tree: pathlib.Path, made: pathlib.Path, bundle: bool) -> None:
    package = tree / NAME
    shutil.copytree(ROOT / "python/visviva", package, ignore=shutil.ignore_patterns("__pycache__"))
    suffix = ".dylib" if sys.platform == "darwin" else ".so"
    library = package / ("libvisviva" + suffix + ("" if suffix == ".dylib" else ".0"))
    shutil.copy(made / ("libvisviva" + suffix), library, follow_symlinks=True)
    (package / "bin").mkdir()
    shutil.copy(made / "visviva", package / "bin/visviva")
    if shutil.which("strip") and sys.platform != "darwin":
        run("strip", "--strip-unneeded", str(library), str(package / "bin/visviva"))
    if bundle and sys.platform.startswith("linux"):
        (package / "lib").mkdir()
        for name, path in needed(library).items():
            shutil.copy(path, package / "lib" / name, follow_symlinks=True)
    share = package / "share/visviva"
    shutil.copytree(ROOT / "examples", share / "examples")
    page = os.environ.get("VISVIVA_TEMPLATE") or next(
        (p for p in (ROOT / "build/release/report-template.html", ROOT / "build/dev/report-template.html") if p.exists()), None)
    if page:
        shutil.copy(page, share / "report-template.html")


def write_info(tree: pathlib.Path) -> None:
    info = tree / f"{NAME}-{version()}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(metadata())
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: visviva\nRoot-Is-Purelib: false\nTag: {tag()}\n")
    (info / "entry_points.txt").write_text("[console_scripts]\nvisviva = visviva.__main__:main\n")
    shutil.copy(ROOT / "LICENSE", info / "LICENSE")


def pack(tree: pathlib.Path, out: pathlib.Path) -> None:
    record = f"{NAME}-{version()}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path in sorted(p for p in tree.rglob("*") if p.is_file()):
            name, data = path.relative_to(tree).as_posix(), path.read_bytes()
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if os.access(path, os.X_OK) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}")
        wheel.writestr(record, "\n".join(lines + [record + ",,"]) + "\n")


# ---- the hooks of PEP 517 ----

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    bundle = os.environ.get("VISVIVA_BUNDLE", "0") not in ("", "0")
    name = f"{NAME}-{version()}-{tag()}.whl"
    kept = os.environ.get("VISVIVA_WHEEL_BUILD")  # a folder to build in, again and again
    with tempfile.TemporaryDirectory() as work:
        made, tree = pathlib.Path(kept or work + "/build"), pathlib.Path(work) / "tree"
        tree.mkdir()
        build(made)
        collect(tree, made, bundle)
        write_info(tree)
        pack(tree, pathlib.Path(wheel_directory) / name)
    return name


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = pathlib.Path(metadata_directory) / f"{NAME}-{version()}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(metadata())
    return info.name


def build_sdist(sdist_directory, config_settings=None):
    import tarfile
    base = f"{NAME}-{version()}"
    files = run("git", "-C", str(ROOT), "ls-files").split("\n")
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as tar:
        for name in filter(None, files):
            tar.add(ROOT / name, f"{base}/{name}")
        with tempfile.NamedTemporaryFile("w") as info:
            info.write(metadata())
            info.flush()
            tar.add(info.name, f"{base}/PKG-INFO")
    return f"{base}.tar.gz"


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/wheel")
    target.mkdir(parents=True, exist_ok=True)
    print(target / build_wheel(target))
