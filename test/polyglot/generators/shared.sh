# What the clients of generators share, with the walks of a shell.
source test/polyglot/walk.sh
DOCUMENT=$PWD/openapi/openapi.json
lacking() { echo "$1"; exit 77; }
# Ends the walk with the output of a command that fails; as lacking where it tells that there is no way to a registry.
download() {
  "$@" > log 2>&1 && return
  cat log
  grep -qE 'dial tcp|i/o timeout|TLS handshake timeout|GOPROXY=off|NewConnectionError|ConnectTimeout|ReadTimeout|Unknown host|(Connect|Connection) (to|refused|timed out|reset)' log ||
    exit 1
  lacking "packages of $CLIENT are missing, and so is a way to their registry"
}
# A command that prints only where it fails.
quietly() { "$@" > log 2>&1 || { cat log; exit 1; }; }
# Goes to the folder of this run with the files of a client.
own_files() {
  CLIENT=test/polyglot/generators/$1
  cp "$CLIENT"/* "$WORK_DIR"
  cd "$WORK_DIR"
}
# A Python of its own in `venv`, with the packages that the client pins.
own_python() {
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || lacking 'Python 3.11 or later is missing'
  python3 -m venv venv > log 2>&1 || lacking 'venv is missing: install python3-venv'
  download venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements.txt
}
# Go, and the modules that the client pins; from 1.21 on, Go loads the version that they ask for.
own_modules() {
  { go version 2> /dev/null || true; } | grep -qE 'go(1\.(2[1-9]|[3-9][0-9])|[2-9])' || lacking 'Go 1.21 or later is missing'
  download go mod download
}
# Makes a client with the OpenAPI Generator: the name of the generator, and options.
openapi_generator() {
  java -version > log 2>&1 || lacking 'Java 11 or later is missing'
  python3 -m pip --version > log 2>&1 || lacking 'pip is missing, which has the OpenAPI Generator: install python3-pip'
  download python3 -m pip install --quiet --disable-pip-version-check --no-deps --target generator openapi-generator-cli==7.26.0
  quietly java -jar generator/openapi_generator_cli/openapi-generator.jar generate --input-spec "$DOCUMENT" --generator-name "$@"
}
