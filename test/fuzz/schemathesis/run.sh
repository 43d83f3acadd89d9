# Fuzzes REST by the published document with Schemathesis, which it installs into a folder of its own at the first run.
set -euo pipefail
version=4.32.5
folder="$(cd "$(dirname "$0")" && pwd)"
tool="${XDG_CACHE_HOME:-$HOME/.cache}/trident/schemathesis-$version"
command -v python3 > /dev/null || { echo 'python3 is missing: install Python 3.10 or later, with venv'; exit 77; }
"$tool/bin/st" --version > /dev/null 2>&1 || {
  rm -rf "$tool"
  python3 -m venv "$tool" && "$tool/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version" ||
    { echo "schemathesis $version cannot be installed: let python3 make venvs (python3-venv), and pip reach its index"; exit 77; }
}
cp "$folder"/{schemathesis.toml,hooks.py} "$WORK_DIR" # it keeps what it finds beside its settings
cd "$WORK_DIR"
PYTHONDONTWRITEBYTECODE=1 exec "$tool/bin/st" run "$OPENAPI" --checks all "$@"
