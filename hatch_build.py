"""Builds the compiled module of the package, `understandability._core`, from its `_core.pyx`.

pip runs it through hatchling. In a checkout, this builds the module where Python imports it from:

    python hatch_build.py                  # with Cython, setuptools and hatchling installed

The C compiler is the one that Python was built for, or `CC`. Where none answers, the build asks the
package index for one: the wheel ziglang.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = Path("src", "understandability")
NAME = "_core"
# Of a system and a kind of processor that ziglang has wheels for.
ZIG_SYSTEMS = ("Linux", "Darwin", "Windows")
ZIG_MACHINES = ("x86_64", "amd64", "aarch64", "arm64", "i686", "ppc64le", "riscv64", "s390x")
NO_HEADERS = (
    "understandability is built in part from C and needs the file Python.h, which this Python was "
    "installed without. Install it (Debian and Ubuntu: apt install python3-dev; Fedora: "
    "dnf install python3-devel), or use a Python from python.org, conda or uv."
)
NO_COMPILER = (
    "understandability is built in part from C, and neither a C compiler nor the package ziglang, "
    "which is one, was found. Install a compiler (Debian and Ubuntu: apt install gcc; Fedora: dnf "
    "install gcc; macOS: xcode-select --install; Windows: the Build Tools for Visual Studio with "
    "C++), or ziglang (pip install ziglang), or a wheel of understandability for this system."
)


class CustomBuildHook(BuildHookInterface[Any]):
    """What hatchling asks while it makes a wheel."""

    def dependencies(self) -> list[str]:
        """What the build needs beside what pyproject.toml lists."""
        if self.target_name == "sdist" or compiler_answers():
            return []
        known = platform.system() in ZIG_SYSTEMS and platform.machine().lower() in ZIG_MACHINES
        return ["ziglang>=0.13"] if known else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the module, into the wheel or, for an editable install, beside its source."""
        if self.target_name != "wheel":
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        root = Path(self.root)
        if version == "editable":
            build(root, root / PACKAGE)
        else:
            self.folder = tempfile.mkdtemp()
            module = build(root, Path(self.folder))
            build_data["force_include"][str(module)] = f"understandability/{module.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what the wheel now holds."""
        shutil.rmtree(getattr(self, "folder", ""), ignore_errors=True)


def build(root: Path, folder: Path) -> Path:
    """Compile the module of a checkout into a folder; the file that Python imports."""
    from Cython.Compiler.Main import compile as to_c

    with tempfile.TemporaryDirectory() as scratch:
        c_file = Path(scratch, f"{NAME}.c")
        source = root / PACKAGE / f"{NAME}.pyx"
        result = to_c(
            str(source), output_file=str(c_file), full_module_name=f"{PACKAGE.name}.{NAME}"
        )
        if result.num_errors:
            raise SystemExit(f"Cython does not understand {source}")
        built = compile_c(c_file, Path(scratch))
        return Path(shutil.copy(built, folder / built.name))


def compile_c(c_file: Path, folder: Path) -> Path:
    """Make the module from its C source."""
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        raise SystemExit(NO_HEADERS)
    if compiler_answers():
        return with_compiler(c_file, folder)
    if find_spec("ziglang"):
        return with_zig(c_file, folder)
    raise SystemExit(NO_COMPILER)


def compiler_answers() -> bool:
    """Whether an empty C program can be compiled here."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty.c")
        empty.write_text("int main(void) { return 0; }\n", "ascii")
        try:
            from setuptools._distutils.ccompiler import new_compiler
            from setuptools._distutils.sysconfig import customize_compiler

            compiler = new_compiler()
            customize_compiler(compiler)
            compiler.compile([str(empty)], output_dir=folder)
        except Exception:  # each kind of compiler has its own way to be absent
            return False
    return True


def with_compiler(c_file: Path, folder: Path) -> Path:
    """Compile by the compiler that Python names, with its flags."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    # Without what debuggers read the module is a fifth of the size.
    flags = ["-g0"] if os.name == "posix" and "CFLAGS" not in os.environ else []
    extension = Extension(NAME, [str(c_file)], extra_compile_args=flags)
    command = build_ext(Distribution({"ext_modules": [extension]}))
    command.build_lib = command.build_temp = str(folder)
    command.ensure_finalized()
    command.run()
    return Path(command.get_ext_fullpath(NAME))


def with_zig(c_file: Path, folder: Path) -> Path:
    """Compile by the C compiler that comes with the package ziglang."""
    module = folder / (NAME + sysconfig.get_config_var("EXT_SUFFIX"))
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
    print(build(checkout, Path(sys.argv[1]) if len(sys.argv) > 1 else checkout / PACKAGE))
