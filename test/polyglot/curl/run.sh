# The main job over REST and the chain's JSON-RPC, with curl alone; what it calls must stand in the document that the gateway serves.
source test/polyglot/walk.sh
command -v curl > /dev/null || { echo 'curl is missing: install it with the packages of the system'; exit 77; }

PATHS=$(curl -sf "$REST_URL/openapi.json" | json 'Object.keys(it.paths).join("\n")')
# call METHOD PATH [BODY]: the answer, its head in the folder of this run.
call() {
  grep -qxF "${2%%\?*}" <<< "$PATHS" || { echo "/openapi.json does not name $2" >&2; return 1; }
  curl -sN --max-time 60 -X "$1" -D "$WORK_DIR/head" "$REST_URL$2" -H "authorization: Bearer ${TOKEN-none}" \
    ${3:+-H 'content-type: application/json' -d "$3"}
}

TOKEN=$(call POST /api/v1/auth/register \
  "{\"email\":\"curl-$RANDOM$RANDOM@example.com\",\"password\":\"correct horse battery\"}" | json it.token.access_token)
TOKEN=$(call POST /api/v1/auth/session | json it.token.access_token)

call POST /api/v1/chatbot/chat "$(say 'what is my balance?')" | expect 'it.messages.at(-1).content.includes("25000 USDC")'
STREAM=$(call POST /api/v1/chatbot/chat/stream "$(say 'quote 1 WETH to USDC')")
[ "$(grep -c '^data: {' <<< "$STREAM")" -ge 2 ]
[ "$(tail -n 1 <<< "$STREAM")" = 'data: [DONE]' ]

CHAINS=$(call GET /api/v1/chains)
token() { json "it[0].tokens.find(({ symbol }) => symbol === '$1').address" <<< "$CHAINS"; }
USDC=$(token USDC)
SWAP="\"chain_id\":$(json 'it[0].chain_id' <<< "$CHAINS"),\"token_in_address\":\"$(token WETH)\",\"token_out_address\":\"$USDC\",\"slippage_bps\":50"

QUOTE=$(call POST /api/v1/multi-agent/quote/evm/pseudo "{\"input\":{$SWAP,\"amount_in\":\"0.5\"}}")
call POST /api/v1/multi-agent/risk/preview "{\"quote\":$QUOTE,\"input\":{\"chain\":\"evm\",\"addresses\":[\"$USDC\"]}}" |
  expect 'it.level === "low"'
call POST /api/v1/multi-agent/execute/evm "{\"input\":{$SWAP,\"amount_in\":\"0.5\"}}" | expect 'it.status === "simulated"'

held() { call GET '/api/v1/positions?token_symbol=USDC' | json 'it[0].quantity_decimal'; }
BEFORE=$(held)
TRADE="{\"input\":{$SWAP,\"amount_in\":\"0.5\",\"simulate_only\":false},\"confirm\":true,\"wallet_ref\":\"default\",\"idempotency_key\":\"curl\",\"quote_id\":\"$(json it.quote_id <<< "$QUOTE")\"}"
FIRST=$(call POST /api/v1/multi-agent/execute/evm "$TRADE")
expect 'it.status === "success"' <<< "$FIRST"
curl -sf "$RPC_URL" -H 'content-type: application/json' \
  -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_getTransactionReceipt\",\"params\":[\"$(json it.tx_hash <<< "$FIRST")\"]}" |
  expect 'it.result.status === "0x1"'
AGAIN=$(call POST /api/v1/multi-agent/execute/evm "$TRADE")
grep -qi '^idempotent-replayed: true' "$WORK_DIR/head"
[ "$(json it.execution_id <<< "$FIRST")" = "$(json it.execution_id <<< "$AGAIN")" ]

expect "$(units "$(held)") - $(units "$BEFORE") === $(units "$(json it.amount_out <<< "$FIRST")")" <<< '{}'

call POST /api/v1/multi-agent/quote/evm/pseudo "{\"input\":{$SWAP,\"amount_in\":\"-1\"}}" |
  expect 'it.status === 422 && it.code === "INVALID_ARGUMENT" && it.errors[0].path === "input.amount_in"'
