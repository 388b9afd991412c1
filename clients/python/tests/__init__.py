"""Run by `python -m unittest discover -s tests -t .`, with `WAYSTATION_TEST_SERVER` as the command that serves; see `support.py`."""
