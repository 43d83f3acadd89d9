# A trade over REST with the fetch client that orval makes from openapi/openapi.json when it runs.
source test/polyglot/walk.sh
DOCUMENT=$PWD/openapi/openapi.json
own_packages generators/orval
# The address of the gateway is a setting of the generator.
node --input-type=module > log 2>&1 -e "
  import { generate } from 'orval'
  await generate({ input: '$DOCUMENT', output: { target: 'trident.ts', client: 'fetch', baseUrl: '$REST_URL' } })
" || { cat log; exit 1; }
node_modules/.bin/tsc
node --input-type=module -e "import { trade } from './dist/app.js'; await trade()"
