"""Build the compiled modules of the package, `understandability._core`, from their .pyx files.

pip runs it through hatchling. In a checkout, this builds each module next to its source, where
Python imports it from:

    python hatch_build.py                  # with Cython, setuptools and hatchling installed

The C compiler is the one that Python was built with, or `CC`. If neither works, the build requests
one from the package index: the wheel ziglang.
"""

from __future__ import annotations

import os
import platform
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = Path("src")
CORE = Path("understandability", "_core")
# The systems and processors that ziglang has wheels for.
ZIG_SYSTEMS = ("Linux", "Darwin", "Windows")
ZIG_MACHINES = ("x86_64", "amd64", "aarch64", "arm64", "i686", "ppc64le", "riscv64", "s390x")
NO_HEADERS = (
    "Part of understandability is compiled from C and needs the file Python.h, which this Python "
    "was installed without. Install it (Debian and Ubuntu: apt install python3-dev; Fedora: "
    "dnf install python3-devel), or use a Python from python.org, conda or uv."
)
NO_COMPILER = (
    "Part of understandability is compiled from C, but neither a C compiler nor the package "
    "ziglang, which contains one, was found. Install a compiler (Debian and Ubuntu: apt install "
    "gcc; Fedora: dnf install gcc; macOS: xcode-select --install; Windows: the Build Tools for "
    "Visual Studio with C++), or ziglang (pip install ziglang), or a wheel of understandability "
    "for this system."
)


class CustomBuildHook(BuildHookInterface[Any]):
    """The steps that hatchling runs while it builds a wheel."""

    def dependencies(self) -> list[str]:
        """Return the build requirements in addition to those in pyproject.toml."""
        if self.target_name == "sdist" or has_compiler():
            return []
        is_supported = (
            platform.system() in ZIG_SYSTEMS and platform.machine().lower() in ZIG_MACHINES
        )
        return ["ziglang>=0.13"] if is_supported else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the modules, into the wheel or, for an editable install, next to their sources."""
        if self.target_name != "wheel":
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        root = Path(self.root)
        if version == "editable":
            build(root, root / SOURCES / CORE)
        else:
            self.folder = tempfile.mkdtemp()
            for module in build(root, Path(self.folder)):
                build_data["force_include"][str(module)] = (CORE / module.name).as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the modules that are now in the wheel."""
        shutil.rmtree(getattr(self, "folder", ""), ignore_errors=True)


def build(root: Path, folder: Path) -> list[Path]:
    """Compile the modules of a checkout into a folder; return the files that Python imports."""
    with tempfile.TemporaryDirectory() as scratch:
        modules = compile_c(translate(root, Path(scratch)), Path(scratch))
        return [Path(shutil.copy(module, folder / module.name)) for module in modules]


def translate(root: Path, folder: Path) -> list[Path]:
    """Translate each module to C; return the C files."""
    from Cython.Compiler.Main import compile as to_c

    layout = runpy.run_path(str(root / SOURCES / CORE / "layout.py"))
    included = f"{layout['as_cython']()}cdef unsigned int FINGERPRINT = {layout['FINGERPRINT']}U\n"
    (folder / "layout.pxi").write_text(included, "ascii")
    c_files = []
    for source in sorted((root / SOURCES / CORE).glob("*.pyx")):
        c_file = folder / f"{source.stem}.c"
        result = to_c(
            str(source),
            output_file=str(c_file),
            full_module_name=".".join([*CORE.parts, source.stem]),
            include_path=[str(root / SOURCES), str(folder)],  # of .pxd files and of layout.pxi
        )
        if result.num_errors:
            raise SystemExit(f"Cython cannot translate {source}; its messages are above")
        c_files.append(c_file)
    return c_files


def compile_c(c_files: list[Path], folder: Path) -> list[Path]:
    """Compile each C file to a module in a folder."""
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        raise SystemExit(NO_HEADERS)
    if has_compiler():
        return with_compiler(c_files, folder)
    if find_spec("ziglang"):
        return [with_zig(c_file, folder) for c_file in c_files]
    raise SystemExit(NO_COMPILER)


def has_compiler() -> bool:
    """Return True if an empty C program can be compiled."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty.c")
        empty.write_text("int main(void) { return 0; }\n", "ascii")
        try:
            from setuptools._distutils.ccompiler import new_compiler
            from setuptools._distutils.sysconfig import customize_compiler

            compiler = new_compiler()
            customize_compiler(compiler)
            compiler.compile([str(empty)], output_dir=folder)
        except Exception:  # each compiler fails in its own way if it is missing
            return False
    return True


def with_compiler(c_files: list[Path], folder: Path) -> list[Path]:
    """Compile with the compiler that Python was built with, and its flags."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    # Without debugging information the modules are a fifth of the size.
    flags = ["-g0"] if os.name == "posix" and "CFLAGS" not in os.environ else []
    extensions = [
        Extension(c_file.stem, [str(c_file)], extra_compile_args=flags) for c_file in c_files
    ]
    command = build_ext(Distribution({"ext_modules": extensions}))
    command.build_lib = command.build_temp = str(folder)
    command.parallel = True
    command.ensure_finalized()
    command.run()
    return [Path(command.get_ext_fullpath(extension.name)) for extension in extensions]


def with_zig(c_file: Path, folder: Path) -> Path:
    """Compile one module with the C compiler in the package ziglang."""
    module = folder / (c_file.stem + sysconfig.get_config_var("EXT_SUFFIX"))
    command = [sys.executable, "-m", "ziglang", "cc", "-O2", "-DNDEBUG", "-o", str(module)]
    command += [str(c_file), "-I", sysconfig.get_path("include")]
    if platform.system() == "Windows":
        version = f"python{sys.version_info.major}{sys.version_info.minor}"
        command += ["-shared", "-L", str(Path(sys.base_prefix, "libs")), f"-l{version}"]
    elif platform.system() == "Darwin":
        command += ["-bundle", "-undefined", "dynamic_lookup", "-fPIC"]
    else:
        command += ["-shared", "-fPIC"]
    subprocess.run(command, check=True)
    return module


if __name__ == "__main__":
    checkout = Path(__file__).resolve().parent
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else checkout / SOURCES / CORE
    print(*build(checkout, folder), sep="\n")
