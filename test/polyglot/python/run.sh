# The main job over gRPC in Python; its stubs are made from proto/ when it runs.
set -euo pipefail
lacking() { echo "$1 is missing: python3 -m pip install grpcio grpcio-tools, or install.sh beside the clients"; exit 77; }
# Another Python than the system's may come first, which does not see the packages of the system.
for python in python3 /usr/bin/python3 ''; do ! "$python" -c 'import grpc' 2> /dev/null || break; done
[ -n "$python" ] || lacking grpcio
if command -v grpc_python_plugin > /dev/null; then
  protoc=(protoc "--plugin=protoc-gen-grpc_python=$(command -v grpc_python_plugin)")
else
  protoc=("$python" -m grpc_tools.protoc)
  "$python" -c 'import grpc_tools' 2> /dev/null || lacking grpcio-tools
fi
find proto -name '*.proto' -print0 | xargs -0 "${protoc[@]}" -I proto --python_out="$WORK_DIR" --grpc_python_out="$WORK_DIR"
PYTHONPATH="$WORK_DIR" PYTHONDONTWRITEBYTECODE=1 exec "$python" test/polyglot/python/main_job.py "$GRPC_ADDRESS"
