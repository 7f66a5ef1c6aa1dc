"""What `pyproject.toml` cannot say: the folders of lxml's headers."""

from lxml import get_include
from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "understandability_accelerator",
            ["understandability_accelerator.pyx"],
            include_dirs=get_include(),
        )
    ]
)
