# A trade over REST with the client that oapi-codegen makes from openapi/openapi.json when it runs.
source test/polyglot/generators/shared.sh
own_files generators/oapi-codegen
own_modules
mkdir trident
quietly go tool oapi-codegen -generate types,client -package trident -o trident/trident.go "$DOCUMENT"
quietly go build -o trade .
exec ./trade "$REST_URL"
