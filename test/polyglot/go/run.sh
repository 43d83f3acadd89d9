# The main job over gRPC in Go; its stubs are made from proto/ when it runs.
set -euo pipefail
command -v go > /dev/null || { echo 'go is missing: install Go 1.19 or later, or run install.sh beside the clients'; exit 77; }
cp test/polyglot/go/{*.go,go.mod,go.sum} "$WORK_DIR"
PROTO=$PWD/proto
cd "$WORK_DIR"
# Modules are lacking where the way to their proxy is; anything else that is wrong with them is a failure.
go mod download 2> log || {
  cat log
  ! grep -q 'SECURITY ERROR' log && grep -qE 'dial tcp|i/o timeout|TLS handshake timeout|GOPROXY=off' log || exit 1
  echo 'the modules of test/polyglot/go/go.mod are missing, and so is a way to the proxy of modules'
  exit 77
}

# The same flags for both builds: with others, Go would compile its own library twice.
go build -o . google.golang.org/protobuf/cmd/protoc-gen-go google.golang.org/grpc/cmd/protoc-gen-go-grpc
plugin() { echo "{\"local\":\"$WORK_DIR/$1\",\"out\":\".\",\"opt\":\"module=trident-client\"}"; }
package='{"file_option":"go_package","path":"trident","value":"trident-client/tridentv1"}'
buf generate "$PROTO" --path "$PROTO/trident" --template \
  "{\"version\":\"v2\",\"managed\":{\"enabled\":true,\"override\":[$package]},\"plugins\":[$(plugin protoc-gen-go),$(plugin protoc-gen-go-grpc)]}"
go build -o main-job .
exec ./main-job "$GRPC_ADDRESS"
