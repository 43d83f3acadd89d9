# The main job over tRPC in TypeScript; the app compiles with the types of a browser and none of Node.
set -euo pipefail
tsc -p test/polyglot/browser --checkers 1
node --input-type=module -e "import { mainJob } from './test/polyglot/browser/app.ts'; await mainJob('$REST_URL')"
