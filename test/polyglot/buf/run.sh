# The main job over gRPC with `buf curl`, which learns every message from the reflection of the server.
source test/polyglot/walk.sh
say() { echo "{\"messages\":[{\"role\":\"CHAT_ROLE_USER\",\"content\":\"$1\"}]}"; }

call() {
  buf curl --protocol grpc --http2-prior-knowledge --timeout 60s -H "authorization: Bearer ${TOKEN-none}" -d "$2" \
    "http://$GRPC_ADDRESS/trident.v1.$1"
}

TOKEN=$(call AuthService/Register "{\"email\":\"buf-$RANDOM$RANDOM@example.com\",\"password\":\"correct horse battery\"}" |
  json it.token.accessToken)
TOKEN=$(call AuthService/CreateSession '{}' | json it.token.accessToken)

call ChatService/Send "$(say 'what is my balance?')" | expect 'it.messages.at(-1).content.includes("25000 USDC")'
STREAM=$(call ChatService/Stream "$(say 'quote 1 WETH to USDC')")
[ "$(grep -c '"content":' <<< "$STREAM")" -ge 2 ]

CHAINS=$(call TradingService/ListChains '{}')
token() { json "it.items[0].tokens.find(({ symbol }) => symbol === '$1').address" <<< "$CHAINS"; }
USDC=$(token USDC)
SWAP="\"chain_id\":$(json 'it.items[0].chainId' <<< "$CHAINS"),\"token_in_address\":\"$(token WETH)\",\"token_out_address\":\"$USDC\",\"slippage_bps\":50"

QUOTE=$(call TradingService/Quote "{\"input\":{$SWAP,\"amount_in\":\"0.5\"}}")
call TradingService/AssessRisk "{\"quote\":$QUOTE,\"input\":{\"chain\":\"evm\",\"addresses\":[\"$USDC\"]}}" |
  expect 'it.level === "RISK_LEVEL_LOW"'
call TradingService/Execute "{\"input\":{$SWAP,\"amount_in\":\"0.5\"}}" | expect 'it.status === "EXECUTION_STATUS_SIMULATED"'

held() { call MetricsService/Positions '{"token_symbol":"USDC"}' | json 'it.items[0].quantityDecimal'; }
BEFORE=$(held)
TRADE="{\"input\":{$SWAP,\"amount_in\":\"0.5\",\"simulate_only\":false},\"confirm\":true,\"wallet_ref\":\"default\",\"idempotency_key\":\"buf\"}"
FIRST=$(call TradingService/Execute "$TRADE")
expect 'it.status === "EXECUTION_STATUS_SUCCESS"' <<< "$FIRST"
call ChainService/GetTransactionReceipt "{\"hash\":\"$(json it.txHash <<< "$FIRST")\"}" | expect 'it.receipt.status === "0x1"'
call TradingService/Execute "$TRADE" |
  expect "it.replayed && it.executionId === '$(json it.executionId <<< "$FIRST")'"

expect "$(units "$(held)") - $(units "$BEFORE") === $(units "$(json it.amountOut <<< "$FIRST")")" <<< '{}'

REFUSAL=$(call TradingService/Quote "{\"input\":{$SWAP,\"amount_in\":\"-1\"}}" 2>&1 || true)
expect 'it.code === "invalid_argument" && it.message.startsWith("input.amount_in: ")' <<< "$REFUSAL"
