"""A trade with the client of openapi-python-client: a module for each operation, which returns an output or a Problem."""

import sys
from uuid import uuid4

from trident import AuthenticatedClient, Client
from trident.api.auth import auth_create_session, auth_login, auth_register
from trident.api.chat import chat_stream
from trident.api.trading import trading_execute, trading_get_execution, trading_list_chains, trading_quote
from trident.models import (
    AuthCreateSessionInput,
    AuthLoginInput,
    AuthRegisterInput,
    ChatMessageInput,
    ChatMessageInputRole,
    ChatStreamInput,
    Problem,
    ProblemCode,
    SwapInput,
    TradingExecuteInput,
    TradingExecuteOutputStatus,
    TradingQuoteInput,
)


def output(answer):
    """The output of a call; raises the problem."""
    if isinstance(answer, Problem):
        raise RuntimeError(f"{answer.code}: {answer.detail}")
    return answer


def expect(holds, what, seen):
    if not holds:
        raise AssertionError(f"expected {what}, got {seen}")


def bearer(url, token):
    return AuthenticatedClient(base_url=url, token=token, timeout=60)


def trade(url):
    anyone = Client(base_url=url, timeout=60)
    email, password = f"{uuid4()}@example.com", "correct horse battery"
    output(auth_register.sync(client=anyone, body=AuthRegisterInput(email=email, password=password)))
    user = output(auth_login.sync(client=anyone, body=AuthLoginInput(username=email, password=password)))
    opening = AuthCreateSessionInput(name="openapi-python-client")
    session = output(auth_create_session.sync(client=bearer(url, user.access_token), body=opening))
    client = bearer(url, session.token.access_token)

    chain = output(trading_list_chains.sync(client=client))[0]
    address = {token.symbol: token.address for token in chain.tokens}

    def swap(amount_in, **fields):
        return SwapInput(chain.chain_id, address["WETH"], address["USDC"], amount_in, slippage_bps=50, **fields)

    quote = output(trading_quote.sync(client=client, body=TradingQuoteInput(input_=swap("0.1"))))
    order = TradingExecuteInput(
        input_=swap("0.1", simulate_only=False),
        confirm=True,
        wallet_ref="default",
        idempotency_key="openapi-python-client",
        quote_id=quote.quote_id,
    )
    execution = output(trading_execute.sync(client=client, body=order))
    expect(execution.status == TradingExecuteOutputStatus.SUCCESS, "a trade", execution)
    kept = output(trading_get_execution.sync(execution.execution_id, client=client))
    expect(kept.tx_hash == execution.tx_hash, "the trade as it is kept", kept)

    question = ChatMessageInput(role=ChatMessageInputRole.USER, content="what is my balance?")
    events = output(chat_stream.sync(client=client, body=ChatStreamInput(messages=[question])))
    expect(events.startswith("data: {") and events.endswith("data: [DONE]\n\n"), "an answer to its end", events)

    refusal = trading_quote.sync(client=client, body=TradingQuoteInput(input_=swap("-1")))
    expect(isinstance(refusal, Problem) and refusal.code == ProblemCode.INVALID_ARGUMENT, "a refusal", refusal)
    expect(refusal.errors[0].path == "input.amount_in", "the wrong field", refusal)


trade(sys.argv[1])
