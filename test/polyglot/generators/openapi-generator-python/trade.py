"""A trade with the OpenAPI Generator's client for Python: a class for each tag, whose methods raise the problems."""

import sys
from uuid import uuid4

import trident


def expect(holds, what, seen):
    if not holds:
        raise AssertionError(f"expected {what}, got {seen}")


def trade(url):
    configuration = trident.Configuration(host=url)
    client = trident.ApiClient(configuration)
    auth, chat, trading = trident.AuthApi(client), trident.ChatApi(client), trident.TradingApi(client)

    email, password = f"{uuid4()}@example.com", "correct horse battery"
    auth.auth_register(trident.AuthRegisterInput(email=email, password=password))
    configuration.access_token = auth.auth_login(trident.AuthLoginInput(username=email, password=password)).access_token
    session = auth.auth_create_session(auth_create_session_input=trident.AuthCreateSessionInput(name="python"))
    configuration.access_token = session.token.access_token

    chain = trading.trading_list_chains()[0]
    address = {token.symbol: token.address for token in chain.tokens}
    swap = trident.SwapInput(
        chain_id=chain.chain_id,
        token_in_address=address["WETH"],
        token_out_address=address["USDC"],
        amount_in="0.1",
        slippage_bps=50,
    )
    quote = trading.trading_quote(trident.TradingQuoteInput(input=swap))
    order = trident.TradingExecuteInput(
        input=swap.model_copy(update={"simulate_only": False}),
        confirm=True,
        wallet_ref="default",
        idempotency_key="openapi-generator",
        quote_id=quote.quote_id,
    )
    execution = trading.trading_execute(order)
    expect(execution.status == "success", "a trade", execution)
    kept = trading.trading_get_execution(execution.execution_id)
    expect(kept.tx_hash == execution.tx_hash, "the trade as it is kept", kept)

    question = trident.ChatMessageInput(role="user", content="what is my balance?")
    events = chat.chat_stream(trident.ChatStreamInput(messages=[question]))
    expect(events.startswith("data: {") and events.endswith("data: [DONE]\n\n"), "an answer to its end", events)

    try:
        # The client itself refuses what the document excludes, unless its checks are passed over.
        wrong = swap.model_construct(**{**swap.model_dump(), "amount_in": "-1"})
        trading.trading_quote(trident.TradingQuoteInput.model_construct(input=wrong))
        raise AssertionError("a negative amount was quoted")
    except trident.ApiException as refusal:
        problem = refusal.data
        expect(isinstance(problem, trident.Problem) and problem.code == "INVALID_ARGUMENT", "a refusal", refusal)
        expect(problem.errors[0].path == "input.amount_in", "the wrong field", problem)


trade(sys.argv[1])
