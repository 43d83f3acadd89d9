# The main job over gRPC in Python; its stubs are made from proto/ when it runs.
source test/polyglot/walk.sh
PROTO=$PWD/proto
own_files python
own_python
venv/bin/python -m grpc_tools.protoc -I "$PROTO" --python_out=. --grpc_python_out=. "$PROTO"/trident/v1/*.proto
exec venv/bin/python main_job.py "$GRPC_ADDRESS"
