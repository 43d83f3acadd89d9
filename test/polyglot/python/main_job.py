"""The main job of a trader over gRPC, with the stubs that grpc_tools makes from proto/."""

import sys
import uuid
from decimal import Decimal

import grpc
from google.rpc import error_details_pb2, status_pb2
from trident.v1 import auth_pb2, auth_pb2_grpc, chain_pb2, chain_pb2_grpc, chat_pb2, chat_pb2_grpc
from trident.v1 import metrics_pb2, metrics_pb2_grpc, trading_pb2, trading_pb2_grpc, types_pb2


def expect(holds, what, seen):
    if not holds:
        raise SystemExit(f"expected {what}, got {seen}")


def as_bearer(token):
    """What every call of a token carries, and how long it may take."""
    return {"metadata": [("authorization", f"Bearer {token}")], "timeout": 60}


def log_in(channel):
    auth = auth_pb2_grpc.AuthServiceStub(channel)
    account = auth_pb2.RegisterRequest(email=f"python-{uuid.uuid4()}@example.com", password="correct horse battery")
    user = auth.Register(account, timeout=60)
    session = auth.CreateSession(auth_pb2.CreateSessionRequest(), **as_bearer(user.token.access_token))
    return as_bearer(session.token.access_token)


def chat(channel, call):
    service = chat_pb2_grpc.ChatServiceStub(channel)

    def say(text):
        return [types_pb2.NewChatMessage(role=types_pb2.CHAT_ROLE_USER, content=text)]

    answer = service.Send(chat_pb2.ChatServiceSendRequest(messages=say("what is my balance?")), **call)
    expect("25000 USDC" in answer.messages[-1].content, "the balance of a new wallet", answer)
    pieces = list(service.Stream(chat_pb2.ChatServiceStreamRequest(messages=say("quote 1 WETH to USDC")), **call))
    expect(len(pieces) >= 2, "an answer in pieces", pieces)


def weth_to_usdc(trading, call):
    chain = trading.ListChains(trading_pb2.ListChainsRequest(), **call).items[0]
    address = {token.symbol: token.address for token in chain.tokens}
    return types_pb2.SwapInput(
        chain_id=chain.chain_id,
        token_in_address=address["WETH"],
        token_out_address=address["USDC"],
        amount_in="0.5",
        slippage_bps=50,
    )


def weigh(trading, call, swap):
    quote = trading.Quote(trading_pb2.QuoteRequest(input=swap), **call)
    # The quote goes back as it came: the two messages differ, for a caller may bring a quote from elsewhere.
    assessed = types_pb2.QuoteToAssess(
        expected_out=quote.expected_out,
        slippage_bps=quote.slippage_bps,
        venue=quote.venue,
        quote_id=quote.quote_id,
        expires_at=quote.expires_at,
        route=quote.route,
    )
    checks = types_pb2.RiskInput(chain="evm", addresses=[swap.token_out_address])
    risk = trading.AssessRisk(trading_pb2.AssessRiskRequest(quote=assessed, input=checks), **call)
    expect(risk.level == types_pb2.RISK_LEVEL_LOW, "a low risk", risk)
    trial = trading.Execute(trading_pb2.ExecuteRequest(input=swap), **call)
    expect(trial.status == types_pb2.EXECUTION_STATUS_SIMULATED, "a simulation", trial)
    return quote.quote_id


def trade(channel, trading, call, swap, quote_id):
    metrics = metrics_pb2_grpc.MetricsServiceStub(channel)

    def held():
        [position] = metrics.Positions(metrics_pb2.MetricsServicePositionsRequest(token_symbol="USDC"), **call).items
        return Decimal(position.quantity_decimal)

    before = held()
    request = trading_pb2.ExecuteRequest(
        input=swap, confirm=True, wallet_ref="default", idempotency_key="python", quote_id=quote_id
    )
    request.input.simulate_only = False
    first = trading.Execute(request, **call)
    expect(first.status == types_pb2.EXECUTION_STATUS_SUCCESS, "a trade", first)
    asked = chain_pb2.GetTransactionReceiptRequest(hash=first.tx_hash)
    receipt = chain_pb2_grpc.ChainServiceStub(channel).GetTransactionReceipt(asked, **call).receipt
    expect(receipt.status == "0x1", "its receipt on the chain", receipt)
    again = trading.Execute(request, **call)
    same = (again.execution_id, again.tx_hash) == (first.execution_id, first.tx_hash)
    expect(same and again.replayed, "the same trade", again)
    gained = held() - before
    expect(gained == Decimal(first.amount_out), "a position that grew by the trade, once", gained)


def mistake(trading, call, swap):
    wrong = types_pb2.SwapInput()
    wrong.CopyFrom(swap)
    wrong.amount_in = "-1"
    try:
        answer = trading.Quote(trading_pb2.QuoteRequest(input=wrong), **call)
    except grpc.RpcError as error:
        expect(error.code() == grpc.StatusCode.INVALID_ARGUMENT, "INVALID_ARGUMENT", error)
        trailers = dict(error.trailing_metadata())
        bad_request = error_details_pb2.BadRequest()
        for detail in status_pb2.Status.FromString(trailers["grpc-status-details-bin"]).details:
            detail.Unpack(bad_request)
        fields = [violation.field for violation in bad_request.field_violations]
        expect(fields == ["input.amount_in"], "the wrong field", fields)
    else:
        expect(False, "a refusal", answer)


with grpc.insecure_channel(sys.argv[1]) as opened:
    session = log_in(opened)
    chat(opened, session)
    desk = trading_pb2_grpc.TradingServiceStub(opened)
    order = weth_to_usdc(desk, session)
    trade(opened, desk, session, order, weigh(desk, session, order))
    mistake(desk, session, order)
