from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = "import sys; sys.path.insert(0, 'build_backend'); import waystation_build as b; print(getattr(b, sys.argv[1])(sys.argv[2]))"


class Packages(unittest.TestCase):
    """The package"""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def build(self, what: str, root: Path, to: str) -> Path:
        target = self.folder / to
        target.mkdir(exist_ok=True)
        # Isolated, and without variables that lead to a network.
        env = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, "-S", "-c", BUILD, what, str(target)], cwd=root, env=env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return target / done.stdout.strip()

    def test_is_built_offline_and_works_from_its_wheel(self) -> None:
        wheel = self.build("build_wheel", ROOT, "wheel")
        code = "import waystation, sys; print(waystation.__version__, waystation.WaystationClient.__name__, waystation.__file__)"
        done = subprocess.run(
            [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(wheel)!r}); {code}"], capture_output=True, text=True
        )
        self.assertIn("0.1.0 WaystationClient", done.stdout, done.stderr)
        self.assertIn(wheel.name, done.stdout)
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            metadata = archive.read("waystation-0.1.0.dist-info/METADATA").decode()
        for name in ("waystation/py.typed", "waystation-0.1.0.dist-info/RECORD", "waystation-0.1.0.dist-info/licenses/LICENSE"):
            self.assertIn(name, names)
        self.assertIn("\nRequires-Python: >=3.9\n", metadata)
        self.assertNotIn("tests/", "".join(names))

    def test_gives_the_same_bytes_again_and_from_its_sdist(self) -> None:
        wheel = self.build("build_wheel", ROOT, "one")
        sdist = self.build("build_sdist", ROOT, "one")
        self.assertEqual(sdist.read_bytes(), self.build("build_sdist", ROOT, "two").read_bytes())
        with tarfile.open(sdist) as archive:
            archive.extractall(self.folder / "source")
        again = self.build("build_wheel", self.folder / "source" / "waystation-0.1.0", "three")
        self.assertEqual(wheel.read_bytes(), again.read_bytes())

    def test_is_installed_by_pip_without_an_index(self) -> None:
        if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
            self.skipTest("this Python has no pip")
        target = self.folder / "site"
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--no-index",
            "--no-build-isolation",
            "--no-deps",
            "--quiet",
            "--target",
            str(target),
            str(ROOT),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((target / "waystation" / "py.typed").exists())
        self.assertTrue((target / "waystation-0.1.0.dist-info" / "INSTALLER").exists())
