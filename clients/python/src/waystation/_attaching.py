"""Files from programs for the chats that their runs answer."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any, Union
from urllib.parse import quote

from ._connection import ApiConnection
from ._json import object_in
from ._patience import PatientRequests, deadline_of
from .errors import ApiRefusalError

#: The path of a file, or its bytes.
FileSource = Union[str, "os.PathLike[str]", bytes]
_TIMEOUT = 30.0
#: The slowest connection on which uploads still succeed.
_BYTES_A_SECOND = 50_000
#: The event then goes without the bytes: a run without a chat has nobody to show them to, and the server tells people of files not kept.
_GOES_ALONE = ("thread_has_no_chat", "attachments_full")


class FileAttacher:
    """Uploads files."""

    def __init__(self, connection: ApiConnection, requests: PatientRequests) -> None:
        self._connection = connection
        self._requests = requests

    def store(
        self, thread_id: str, file: FileSource, name: str | None, media_type: str | None, caption: str | None, timeout: float | None
    ) -> dict[str, Any]:
        """The event's description of the file, once the server has it."""
        data = file if isinstance(file, bytes) else Path(file).read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        self._requests.until_response(deadline_of(timeout), lambda left: self._put(thread_id, digest, data, left))
        named = name or ("file" if isinstance(file, bytes) else Path(file).name)
        said = {"digest": digest, "size_bytes": len(data), "name": named, "media_type": media_type, "caption": caption}
        return {key: value for key, value in said.items() if value is not None}

    def _put(self, thread_id: str, digest: str, data: bytes, left: float) -> None:
        path = f"/v1/runners/threads/{quote(thread_id, safe='')}/attachments/{digest}"
        headers = {"Content-Type": "application/octet-stream"}
        once = min(_TIMEOUT + len(data) / _BYTES_A_SECOND, left)
        response = self._connection.send(path, "PUT", data, headers, once)
        problem = object_in(response.text)
        if response.status >= 300 and problem.get("code") not in _GOES_ALONE:
            raise ApiRefusalError(response.status, f"the file was refused: {problem.get('detail') or f'status {response.status}'}")
