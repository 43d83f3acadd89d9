# The main job over REST with openapi-fetch; its types are made from openapi/openapi.json when it runs.
source test/polyglot/walk.sh
DOCUMENT=$PWD/openapi/openapi.json
# Of its own, for the generator asks for another TypeScript than the project's.
own_packages openapi
# A field with a default may be left out of a request.
node_modules/.bin/openapi-typescript "$DOCUMENT" --default-non-nullable false --output schema.ts > log 2>&1 || { cat log; exit 1; }
node_modules/.bin/tsc
node --input-type=module -e "import { mainJob } from './app.ts'; await mainJob('$REST_URL')"
