# A trade over REST with the SDK that @hey-api/openapi-ts makes from openapi/openapi.json when it runs.
source test/polyglot/walk.sh
DOCUMENT=$PWD/openapi/openapi.json
own_packages generators/hey-api
node_modules/.bin/openapi-ts --input "$DOCUMENT" --output trident --no-log-file > log 2>&1 || { cat log; exit 1; }
node_modules/.bin/tsc
node --input-type=module -e "import { trade } from './dist/app.js'; await trade('$REST_URL')"
