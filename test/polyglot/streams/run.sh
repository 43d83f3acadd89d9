# Readers of event streams from npm and PyPI, which read the streams over REST through proxies that cut them.
source test/polyglot/walk.sh
own_packages streams
tsc --checkers 1

# One reader is in Python; where it cannot be had, the others still read.
PYTHON=$WORK_DIR/venv/bin/python
if ! python3 -m venv "$WORK_DIR/venv" > log 2>&1; then
  PYTHON= LACKING='python3 with its venv: install it with the packages of the system'
elif ! "$PYTHON" -m pip install --disable-pip-version-check --retries 1 -r requirements.txt > log 2>&1; then
  grep -qF '(from versions: none)' log || { cat log; exit 1; }
  PYTHON= LACKING='a way to the registry of Python packages'
fi
PYTHON=$PYTHON node main.ts
[ -n "$PYTHON" ] || { echo "httpx-sse was not run, for it lacks $LACKING"; exit 77; }
