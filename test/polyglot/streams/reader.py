"""Reads a stream with httpx-sse, goes on where it was cut, and prints each event as a line of JSON."""

import json
import os
import sys
import time

import httpx
from httpx_sse import connect_sse


def read(url, token, body):
    """Reads until the stream is over (204); with a body once, for a POST is not sent again."""
    last = ""
    failed = 0
    with httpx.Client(timeout=httpx.Timeout(10, read=60), trust_env=False) as client:
        while True:
            headers = {"authorization": f"Bearer {token}"}
            if last:
                headers["last-event-id"] = last
            if body:
                headers["content-type"] = "application/json"
            try:
                with connect_sse(client, "POST" if body else "GET", url, headers=headers, content=body) as source:
                    if source.response.status_code == 204:
                        return
                    source.response.raise_for_status()
                    for event in source.iter_sse():
                        failed = 0
                        last = event.id
                        print(json.dumps({"id": event.id, "data": event.data}), flush=True)
                if body:
                    return
            except httpx.TransportError:
                failed += 1
                if failed > 1_000:  # the proxy has ended
                    raise
                time.sleep(0.001)


read(sys.argv[1], os.environ["TOKEN"], sys.argv[2] if len(sys.argv) > 2 else None)
