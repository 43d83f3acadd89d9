# What the walks of a shell share: they stop at the first command that fails, and name it.
set -Eeuo pipefail
trap 'echo "line $LINENO: $BASH_COMMAND" >&2' ERR

# What an expression makes of the JSON on the standard input, here called `it`.
json() { node -e "const it = JSON.parse(require('fs').readFileSync(0)); console.log($1)"; }
# Ends the walk where the expression does not hold for the JSON on the standard input.
expect() { local text; text=$(cat); [ "$(json "$1" <<< "$text")" = true ] || { echo "expected $1 of $text"; exit 1; }; }
# The body of a chat that says a sentence.
say() { echo "{\"messages\":[{\"role\":\"user\",\"content\":\"$1\"}]}"; }
# An amount of at most six decimal places in its smallest units, as an expression; a number holds it exactly.
units() { echo "BigInt(Math.round($1 * 1e6))"; }
# Goes to the folder of this run with a client and the packages of its own lock file; they are lacking where the way to
# their registry is, and anything else that is wrong with them is a failure.
own_packages() {
  cp "test/polyglot/$1"/* "$WORK_DIR"
  cd "$WORK_DIR"
  npm ci --no-audit --no-fund > log 2>&1 && return
  cat log
  grep -qE '^npm error code (ENOTFOUND|EAI_AGAIN|E(CONN|NET|HOST|ADDR)[A-Z]+|ETIMEDOUT|ERR_SOCKET_TIMEOUT)$' log || exit 1
  echo "the packages of test/polyglot/$1 are missing, and so is a way to their registry"
  exit 77
}
