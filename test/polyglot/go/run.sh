# The main job over gRPC in Go; its stubs are made from proto/ when it runs.
set -euo pipefail
command -v go > /dev/null || { echo 'go is missing: install Go 1.24 or later'; exit 77; }
cp test/polyglot/go/{main.go,go.mod,go.sum} "$WORK_DIR"
# Modules that cannot be fetched are lacking; modules that are not what go.sum says are a failure.
go -C "$WORK_DIR" mod download 2> "$WORK_DIR/log" || {
  cat "$WORK_DIR/log"
  ! grep -q 'SECURITY ERROR' "$WORK_DIR/log" || exit 1
  echo 'the modules of test/polyglot/go/go.mod are missing, and so is a way to the proxy of modules'
  exit 77
}

plugin() { echo "{\"local\":[\"go\",\"-C\",\"$WORK_DIR\",\"tool\",\"$1\"],\"out\":\"$WORK_DIR\",\"opt\":\"module=trident-client\"}"; }
package='{"file_option":"go_package","path":"trident","value":"trident-client/tridentv1"}'
buf generate proto --path proto/trident --template \
  "{\"version\":\"v2\",\"managed\":{\"enabled\":true,\"override\":[$package]},\"plugins\":[$(plugin protoc-gen-go),$(plugin protoc-gen-go-grpc)]}"
go -C "$WORK_DIR" build -trimpath -o main-job .
exec "$WORK_DIR/main-job" "$GRPC_ADDRESS"
