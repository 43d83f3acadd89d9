# The main job over tRPC in TypeScript, with the types of the packed client; the app knows the web and nothing of Node.
source test/polyglot/walk.sh
CLIENT=$PWD/generated/client
own_packages browser
npm pack --silent "$CLIENT" > packed
npm install --no-save --prefer-offline --no-audit --no-fund "./$(cat packed)" > log 2>&1 || { cat log; exit 1; }
# As a server of Node and as a bundler resolve it, by an old compiler and a new one.
node_modules/.bin/tsc
tsc --module preserve --checkers 1
node --input-type=module -e "import { mainJob } from './app.ts'; await mainJob('$REST_URL')"
