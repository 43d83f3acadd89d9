# The main job over gRPC in Python; its stubs are made from proto/ when it runs.
set -euo pipefail
command -v python3 > /dev/null || { echo 'python3 is missing'; exit 77; }
python3 -c 'import grpc, grpc_tools' 2> /dev/null ||
  { echo 'grpcio is missing: python3 -m pip install grpcio grpcio-tools, or python3-grpcio and python3-grpc-tools of the system'; exit 77; }
find proto -name '*.proto' -print0 |
  xargs -0 python3 -m grpc_tools.protoc -I proto --python_out="$WORK_DIR" --grpc_python_out="$WORK_DIR"
PYTHONPATH="$WORK_DIR" PYTHONDONTWRITEBYTECODE=1 exec python3 test/polyglot/python/main_job.py "$GRPC_ADDRESS"
