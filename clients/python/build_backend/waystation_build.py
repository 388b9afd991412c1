"""
Builds the wheel and the sdist (PEP 517) with only the standard library, so that it works offline. Builds are reproducible.

It reads the needed lines of `pyproject.toml` itself, because Python has a TOML parser only since 3.11.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path.cwd()
_TIME = (1980, 1, 1, 0, 0, 0)


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return []


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    return []


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    files = {path.relative_to(ROOT / "src").as_posix(): path.read_bytes() for path in _files("src")}
    return _write_wheel(Path(wheel_directory), files)


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    return _write_wheel(Path(wheel_directory), {f"_{_folder()}_editable.pth": f"{ROOT / 'src'}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    base = f"{_folder()}-{_field('version')}"
    files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in _files("src", "build_backend", "tests")}
    for name in ("pyproject.toml", "README.md"):
        files[name] = (ROOT / name).read_bytes()
    files["LICENSE"] = _license()
    files["PKG-INFO"] = _metadata()
    name = f"{base}.tar.gz"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=9, format=tarfile.PAX_FORMAT) as archive:
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{base}/{path}")
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))
    content = packed.getvalue()
    (Path(sdist_directory) / name).write_bytes(content[:4] + b"\0\0\0\0" + content[8:])  # without gzip's timestamp
    return name


def _write_wheel(directory: Path, files: dict[str, bytes]) -> str:
    base = f"{_folder()}-{_field('version')}"
    info = f"{base}.dist-info"
    files[f"{info}/METADATA"] = _metadata()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: waystation\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/licenses/LICENSE"] = _license()
    record = "".join(f"{path},sha256={_digest(content)},{len(content)}\n" for path, content in sorted(files.items()))
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"{base}-py3-none-any.whl"
    with zipfile.ZipFile(directory / name, "w", zipfile.ZIP_DEFLATED) as archive:
        # The specification recommends the metadata at the end.
        for path, content in sorted(files.items(), key=lambda item: (item[0].startswith(info), item[0])):
            entry = zipfile.ZipInfo(path, _TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return name


def _files(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    return sorted(path for path in found if "__pycache__" not in path.parts and path.suffix in (".py", ".typed", ".json"))


def _metadata() -> bytes:
    optional = _section("project.optional-dependencies")
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {_field('name')}",
        f"Version: {_field('version')}",
        f"Summary: {_field('description')}",
        "License: Apache-2.0",
        f"Requires-Python: {_field('requires-python')}",
        *(f"Requires-Dist: {one}" for one in _list(_section("project"), "dependencies")),
    ]
    for extra in re.findall(r"(?m)^([a-z-]+) = \[", optional):
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {one}; extra == "{extra}"' for one in _list(optional, extra))]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text("utf8")]
    return "\n".join(lines).encode()


def _license() -> bytes:
    """Of the sdist, or of the repository."""
    found = [path for path in (ROOT / "LICENSE", ROOT.parent.parent / "LICENSE") if path.exists()]
    if not found:
        raise FileNotFoundError("there is no LICENSE")
    return found[0].read_bytes()


def _section(name: str) -> str:
    text = (ROOT / "pyproject.toml").read_text("utf8")
    found = re.search(rf"(?ms)^\[{re.escape(name)}\]\n(.*?)(?=^\[|\Z)", text)
    return found[1] if found else ""


def _field(name: str) -> str:
    found = re.search(rf'(?m)^{re.escape(name)} = "(.*)"$', _section("project"))
    if not found:
        raise ValueError(f"pyproject.toml has no {name}")
    return found[1]


def _list(section: str, name: str) -> list[str]:
    found = re.search(rf"(?ms)^{re.escape(name)} = \[(.*?)\]$", section)
    return re.findall(r'"([^"]+)"', found[1]) if found else []


def _folder() -> str:
    return _field("name").replace("-", "_")


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
