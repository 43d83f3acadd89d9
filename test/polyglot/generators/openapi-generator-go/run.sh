# A trade over REST with the client that the OpenAPI Generator makes for Go from openapi/openapi.json when it runs.
source test/polyglot/generators/shared.sh
own_files generators/openapi-generator-go
own_modules
openapi_generator go --output trident --package-name trident --additional-properties withGoMod=false
quietly go build -o trade .
exec ./trade "$REST_URL"
