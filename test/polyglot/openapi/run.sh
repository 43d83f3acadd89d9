# The main job over REST with openapi-fetch; its types are made from openapi/openapi.json when it runs.
set -euo pipefail
cp test/polyglot/openapi/* "$WORK_DIR"
DOCUMENT=$PWD/openapi/openapi.json
cd "$WORK_DIR"
# Its own packages, for the generator asks for another TypeScript than the project's.
npm ci --no-audit --no-fund > log 2>&1 || { cat log; echo 'the packages of test/polyglot/openapi are missing, and so is a way to their registry'; exit 77; }
export PATH="$WORK_DIR/node_modules/.bin:$PATH"
# A field with a default may be left out of a request.
openapi-typescript "$DOCUMENT" --default-non-nullable false --output schema.ts > log 2>&1 || { cat log; exit 1; }
tsc
node --input-type=module -e "import { mainJob } from './app.ts'; await mainJob('$REST_URL')"
