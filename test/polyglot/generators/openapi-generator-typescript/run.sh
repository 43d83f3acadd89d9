# A trade over REST with the fetch client that the OpenAPI Generator makes for TypeScript from openapi/openapi.json when
# it runs.
source test/polyglot/generators/shared.sh
own_packages generators/openapi-generator-typescript
CLIENT=test/polyglot/generators/openapi-generator-typescript
# Of a schema that only a form has, the generator makes no model unless asked to, and imports it all the same.
openapi_generator typescript-fetch --output trident --additional-properties importFileExtension=.js --global-property skipFormModel=false
node_modules/.bin/tsc
node --input-type=module -e "import { trade } from './dist/app.js'; await trade('$REST_URL')"
