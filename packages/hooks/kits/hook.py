"""Author kit of @basis/hooks for Python 3: a script that calls serve answers in either mode of a hook.

Standard output belongs to the answers; write whatever else there is to say to sys.stderr.
"""

import json
import os
import sys


def serve(decide):
    """Answer every request with the dict that decide(request) returns, for example {"decision": "allow"}.

    Started with BASIS_HOOK_MODE=worker, as a hook of mode "worker" is, it answers line after line until its input
    ends; else it answers once. What decide raises ends the process, and its hook has failed.
    """
    if os.environ.get("BASIS_HOOK_MODE") != "worker":
        _print({**decide(json.loads(sys.stdin.buffer.read()))})
        return
    _print({"hook_worker": 1})
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        _print({**decide(asked["request"]), "id": asked["id"]})


def _print(answer):
    sys.stdout.buffer.write(json.dumps(answer, allow_nan=False).encode("ascii") + b"\n")
    sys.stdout.buffer.flush()
