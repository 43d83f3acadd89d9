# A trade over REST with the client that the OpenAPI Generator makes for Python from openapi/openapi.json when it runs.
source test/polyglot/generators/shared.sh
own_files generators/openapi-generator-python
own_python
openapi_generator python --output generated --package-name trident
venv/bin/python -m compileall -q generated/trident
PYTHONPATH=generated exec venv/bin/python trade.py "$REST_URL"
