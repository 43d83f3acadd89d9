# What the clients of generators share, with the walks of a shell.
source test/polyglot/walk.sh
DOCUMENT=$PWD/openapi/openapi.json
# Makes a client with the OpenAPI Generator: the name of the generator, and options.
openapi_generator() {
  java -version > log 2>&1 || lacking 'Java 11 or later is missing'
  python3 -m pip --version > log 2>&1 || lacking 'pip is missing, which has the OpenAPI Generator: install python3-pip'
  download python3 -m pip install --quiet --disable-pip-version-check --no-deps --target generator openapi-generator-cli==7.26.0
  quietly java -jar generator/openapi_generator_cli/openapi-generator.jar generate --input-spec "$DOCUMENT" --generator-name "$@"
}
