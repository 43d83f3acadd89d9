# The main job over gRPC in Go; its stubs are made from proto/ when it runs.
source test/polyglot/walk.sh
own_protoc
command -v go > /dev/null || lacking 'go is missing: install Go 1.19 or later, or run install.sh beside the clients'
PROTO=$PWD/proto SAMPLES=$PWD/scripts/samples/write-go.ts
own_files go
download go mod download

# The same flags for both builds: with others, Go would compile its own library twice.
go build -o . google.golang.org/protobuf/cmd/protoc-gen-go google.golang.org/grpc/cmd/protoc-gen-go-grpc
# The stubs go to the folder of the module that their `go_package` names.
PATH=$WORK_DIR:$PATH protoc -I "$PROTO" --go_out=. --go-grpc_out=. "$PROTO"/trident/v1/*.proto
go build -o main-job .
./main-job "$GRPC_ADDRESS"

# The samples of the reference, as one program.
node "$SAMPLES" samples
go vet ./samples
