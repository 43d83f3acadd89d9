# A trade over REST with the client that openapi-python-client makes from openapi/openapi.json when it runs.
source test/polyglot/generators/shared.sh
own_files generators/openapi-python-client
own_python
# Its formatter is found by the path.
PATH=$PWD/venv/bin:$PATH quietly venv/bin/openapi-python-client generate --path "$DOCUMENT" --meta none --output-path trident --fail-on-warning
venv/bin/python -m compileall -q trident
exec venv/bin/python trade.py "$REST_URL"
