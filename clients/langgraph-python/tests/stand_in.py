"""
Writes a wheel that replaces `langchain-protocol`, which some indexes lack: LangGraph imports only types from it.

    python tests/stand_in.py FOLDER
"""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

MODULE = """
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (dict,), {})
"""
INFO = "langchain_protocol-0.0.999.dist-info"
FILES = {
    "langchain_protocol/__init__.py": MODULE,
    "langchain_protocol/protocol.py": MODULE,
    f"{INFO}/METADATA": "Metadata-Version: 2.1\nName: langchain-protocol\nVersion: 0.0.999\n",
    f"{INFO}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}


def main(folder: Path) -> None:
    record = "".join(f"{name},,\n" for name in [*FILES, f"{INFO}/RECORD"])
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f"{os.getpid()}.tmp"
    with zipfile.ZipFile(unfinished, "w") as wheel:
        for name, text in {**FILES, f"{INFO}/RECORD": record}.items():
            wheel.writestr(zipfile.ZipInfo(name), text)
    unfinished.replace(folder / "langchain_protocol-0.0.999-py3-none-any.whl")  # others may be reading it


if __name__ == "__main__":
    main(Path(sys.argv[1]))
