# A trade over REST with the fetch client that the OpenAPI Generator makes for TypeScript from openapi/openapi.json when
# it runs.
source test/polyglot/generators/shared.sh
own_packages generators/openapi-generator-typescript
CLIENT=test/polyglot/generators/openapi-generator-typescript
openapi_generator typescript-fetch --output trident --additional-properties importFileExtension=.js
node_modules/.bin/tsc
node --input-type=module -e "import { trade } from './dist/app.js'; await trade('$REST_URL')"
