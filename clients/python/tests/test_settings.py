from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

from waystation import ClientSettingError
from waystation._settings import client_settings, process_start

GIVEN = {"WAYSTATION_TOKEN": "abc", "WAYSTATION_AGENT_ID": "a"}


class Settings(unittest.TestCase):
    """The settings"""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = Path(folder.name)

    def record(self, **members: Any) -> None:
        (self.home / "run").mkdir(exist_ok=True)
        own = {"url": "http://127.0.0.1:4711", "pid": os.getpid(), "process_start": process_start(os.getpid())}
        (self.home / "run" / "server.json").write_text(json.dumps({**own, **members}))

    def url(self) -> str:
        return client_settings(env={**GIVEN, "WAYSTATION_HOME": str(self.home)}).api.current

    def test_come_from_the_program_before_the_environment(self) -> None:
        env = {**GIVEN, "WAYSTATION_API_URL": "http://env:1/"}
        found = client_settings(env=env)
        self.assertEqual((found.api.current, found.token, found.agent_id), ("http://env:1", "abc", "a"))
        found = client_settings("https://given/base/", "t", "b", env)
        self.assertEqual((found.api.current, found.token, found.agent_id), ("https://given/base", "t", "b"))

    def test_find_the_running_server_of_the_home_directory(self) -> None:
        self.assertEqual(self.url(), "http://127.0.0.1:8000")
        self.record()
        self.assertEqual(self.url(), "http://127.0.0.1:4711")

    def test_leave_a_server_aside_whose_process_is_gone_or_another_program(self) -> None:
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        for members in ({"pid": gone.pid, "process_start": None}, {"process_start": "boot/1"}, {"url": 7}, {"url": "file:///x"}):
            self.record(**members)
            self.assertEqual(self.url(), "http://127.0.0.1:8000", members)
        (self.home / "run" / "server.json").write_text("[")
        self.assertEqual(self.url(), "http://127.0.0.1:8000")

    def test_take_the_machine_secret_to_its_own_server_alone(self) -> None:
        self.record()
        secret = self.home / ".api-secret"
        secret.write_text("s" * 64)
        link = self.home / "token"
        link.symlink_to(secret)
        for file in (secret, link):
            env = {"WAYSTATION_TOKEN_FILE": str(file), "WAYSTATION_AGENT_ID": "a"}
            for url in ("http://127.0.0.1:4712", "https://evil.example"):
                with self.assertRaisesRegex(ClientSettingError, "machine secret") as caught:
                    client_settings(env={**env, "WAYSTATION_API_URL": url})
                self.assertNotIn("ssss", str(caught.exception))
            self.assertEqual(client_settings(env={**env, "WAYSTATION_API_URL": "http://127.0.0.1:4711/"}).token, "s" * 64)

    @unittest.skipIf(sys.platform == "win32", "there are no such bits")
    def test_take_no_address_from_a_home_that_others_can_write(self) -> None:
        self.record()
        self.home.chmod(0o777)
        with self.assertRaisesRegex(ClientSettingError, "chmod 700"):
            self.url()
        self.assertEqual(client_settings("http://given", env={**GIVEN, "WAYSTATION_HOME": str(self.home)}).api.current, "http://given")

    def test_need_no_home_directory_where_the_address_is_given(self) -> None:
        with unittest.mock.patch("pathlib.Path.home", side_effect=RuntimeError("no home")):
            self.assertEqual(client_settings("http://given", env=GIVEN).api.current, "http://given")
            self.assertEqual(self.url(), "http://127.0.0.1:8000")
            with self.assertRaisesRegex(ClientSettingError, "WAYSTATION_API_URL"):
                client_settings(env=GIVEN)

    def test_read_the_token_from_a_file(self) -> None:
        file = self.home / "token"
        file.write_text("from-file\n")
        env = {"WAYSTATION_TOKEN_FILE": str(file), "WAYSTATION_AGENT_ID": "a"}
        self.assertEqual(client_settings(env=env).token, "from-file")
        with self.assertRaisesRegex(ClientSettingError, "cannot be read"):
            client_settings(env={**env, "WAYSTATION_TOKEN_FILE": str(self.home / "none")})

    def test_say_what_is_missing_without_the_token(self) -> None:
        for env in ({}, {"WAYSTATION_TOKEN": "abc"}, {**GIVEN, "WAYSTATION_TOKEN": "a secret\nsplit"}):
            with self.assertRaises(ClientSettingError) as caught:
                client_settings(env=env)
            self.assertNotIn("secret", str(caught.exception))
        for url in ("ftp://x", "x", "http://", "http://u:p@host", "http://host:no", "http://host/?a=1", "http://ho st", "http://h\r\nX: 1"):
            with self.assertRaisesRegex(ClientSettingError, "WAYSTATION_API_URL"):
                client_settings(url, env=GIVEN)
