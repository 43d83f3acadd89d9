"""Runs samples one by one. A stream ends after STREAM_SECONDS."""

import os
import runpy
import signal
import sys


class Over(Exception):
    pass


def end(*_):
    raise Over


signal.signal(signal.SIGALRM, end)
for path in sys.argv[1:]:
    print("@@", path, flush=True)
    streams = "stream=True" in open(path).read()
    signal.setitimer(signal.ITIMER_REAL, float(os.environ["STREAM_SECONDS"]) if streams else 30)
    try:
        runpy.run_path(path)
    except Over:
        if not streams:
            print("!! it did not end")
    except Exception as error:
        print("!!", error, getattr(getattr(error, "response", None), "text", ""))
    signal.setitimer(signal.ITIMER_REAL, 0)
