# What the walks of a shell share: they stop at the first command that fails, and name it.
set -Eeuo pipefail
trap 'echo "line $LINENO: $BASH_COMMAND" >&2' ERR

# What an expression makes of the JSON on the standard input, here called `it`.
json() { node -e "const it = JSON.parse(require('fs').readFileSync(0)); console.log($1)"; }
# Ends the walk where the expression does not hold for the JSON on the standard input.
expect() { local text; text=$(cat); [ "$(json "$1" <<< "$text")" = true ] || { echo "expected $1 of $text"; exit 1; }; }
# The body of a chat that says a sentence.
say() { echo "{\"messages\":[{\"role\":\"user\",\"content\":\"$1\"}]}"; }
# An amount of at most six decimal places in its smallest units, as an expression; a number holds it exactly.
units() { echo "BigInt(Math.round($1 * 1e6))"; }
# Ends a client for want of something.
lacking() { echo "$1"; exit 77; }
# Ends the walk with the output of a command that fails; as lacking where it tells that there is no way to a registry.
download() {
  "$@" > log 2>&1 && return
  cat log
  ! grep -q 'SECURITY ERROR' log || exit 1
  grep -qE 'dial tcp|i/o timeout|TLS handshake timeout|GOPROXY=off|NewConnectionError|ConnectTimeout|ReadTimeout|Unknown host|name resolution|offline mode|(Connect|Connection) (to|refused|timed out|reset)|Could not resolve|Could(n.t| not) connect|Timeout was reached|--offline was specified' log ||
    exit 1
  lacking "packages of $CLIENT are missing, and so is a way to their registry"
}
# A command that prints only where it fails.
quietly() { "$@" > log 2>&1 || { cat log; exit 1; }; }
# Goes to the folder of this run with the files of a client.
own_files() {
  CLIENT=test/polyglot/$1
  cp "$CLIENT"/* "$WORK_DIR"
  cd "$WORK_DIR"
}
# A Python of its own in `venv`, with the packages that the client pins.
own_python() {
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || lacking 'Python 3.11 or later is missing'
  python3 -m venv venv > log 2>&1 || lacking 'venv is missing: install python3-venv'
  download venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements.txt
}
# protoc, with the messages of google/protobuf.
own_protoc() {
  echo 'syntax = "proto3"; import "google/protobuf/timestamp.proto";' > "$WORK_DIR/any.proto"
  protoc -I "$WORK_DIR" -o /dev/null "$WORK_DIR/any.proto" > /dev/null 2>&1 ||
    lacking 'protoc or its google/protobuf is missing: install protobuf-compiler and libprotobuf-dev'
}
# Go, and the modules that the client pins; from 1.21 on, Go loads the version that they ask for.
own_modules() {
  { go version 2> /dev/null || true; } | grep -qE 'go(1\.(2[1-9]|[3-9][0-9])|[2-9])' || lacking 'Go 1.21 or later is missing'
  download go mod download
}
# Goes to the folder of this run with a client and the packages of its own lock file; they are lacking where the way to
# their registry is, and anything else that is wrong with them is a failure.
own_packages() {
  cp "test/polyglot/$1"/* "$WORK_DIR"
  cd "$WORK_DIR"
  npm ci --no-audit --no-fund > log 2>&1 && return
  cat log
  grep -qE '^npm error code (ENOTFOUND|EAI_AGAIN|E(CONN|NET|HOST|ADDR)[A-Z]+|ETIMEDOUT|ERR_SOCKET_TIMEOUT)$' log || exit 1
  echo "the packages of test/polyglot/$1 are missing, and so is a way to their registry"
  exit 77
}
