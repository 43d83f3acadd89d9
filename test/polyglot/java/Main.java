import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import dev.trident.v1.*;
import io.grpc.Channel;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.MetadataUtils;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** The main job of a trader over gRPC, with the stubs that protoc makes from proto/. */
public class Main {
  private final Channel channel;
  private final TradingServiceGrpc.TradingServiceBlockingStub trading;
  private final String token;

  private Main(Channel channel) {
    this.channel = channel;
    this.token = logIn();
    this.trading = as(token, TradingServiceGrpc.newBlockingStub(channel));
  }

  public static void main(String[] arguments) throws Exception {
    ManagedChannel channel = Grpc.newChannelBuilder(arguments[0], InsecureChannelCredentials.create()).build();
    try {
      Main desk = new Main(channel);
      desk.chat();
      SwapInput swap = desk.wethToUsdc();
      desk.trade(swap, desk.weigh(swap));
      desk.mistake(swap);
    } finally {
      channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  private static void expect(boolean holds, String what, Object seen) {
    if (!holds) throw new IllegalStateException("expected " + what + ", got " + seen);
  }

  /** A stub whose calls carry a token and take at most two minutes from now. */
  private static <S extends AbstractStub<S>> S as(String token, S stub) {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    return stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers)).withDeadlineAfter(2, TimeUnit.MINUTES);
  }

  private String logIn() {
    var auth = AuthServiceGrpc.newBlockingStub(channel).withDeadlineAfter(1, TimeUnit.MINUTES);
    var user = auth.register(RegisterRequest.newBuilder()
        .setEmail("java-" + UUID.randomUUID() + "@example.com")
        .setPassword("correct horse battery")
        .build());
    var owner = as(user.getToken().getAccessToken(), AuthServiceGrpc.newBlockingStub(channel));
    return owner.createSession(CreateSessionRequest.getDefaultInstance()).getToken().getAccessToken();
  }

  private static NewChatMessage say(String text) {
    return NewChatMessage.newBuilder().setRole(ChatRole.CHAT_ROLE_USER).setContent(text).build();
  }

  private void chat() {
    var service = as(token, ChatServiceGrpc.newBlockingStub(channel));
    var answer = service.send(ChatServiceSendRequest.newBuilder().addMessages(say("what is my balance?")).build());
    String last = answer.getMessages(answer.getMessagesCount() - 1).getContent();
    expect(last.contains("25000 USDC"), "the balance of a new wallet", last);

    var asked = ChatServiceStreamRequest.newBuilder().addMessages(say("quote 1 WETH to USDC")).build();
    List<ChatStreamEvent> pieces = new ArrayList<>();
    service.stream(asked).forEachRemaining(pieces::add);
    expect(pieces.size() >= 2, "an answer in pieces", pieces);
  }

  private SwapInput wethToUsdc() {
    Chain chain = trading.listChains(ListChainsRequest.getDefaultInstance()).getItems(0);
    Map<String, String> address = new HashMap<>();
    chain.getTokensList().forEach(token -> address.put(token.getSymbol(), token.getAddress()));
    return SwapInput.newBuilder()
        .setChainId(chain.getChainId())
        .setTokenInAddress(address.get("WETH"))
        .setTokenOutAddress(address.get("USDC"))
        .setAmountIn("0.5")
        .setSlippageBps(50)
        .build();
  }

  private String weigh(SwapInput swap) {
    Quote quote = trading.quote(QuoteRequest.newBuilder().setInput(swap).build());
    QuoteToAssess assessed = QuoteToAssess.newBuilder()
        .setExpectedOut(quote.getExpectedOut())
        .setSlippageBps(quote.getSlippageBps())
        .setVenue(quote.getVenue())
        .setQuoteId(quote.getQuoteId())
        .setExpiresAt(quote.getExpiresAt())
        .addAllRoute(quote.getRouteList())
        .build();
    RiskInput checks = RiskInput.newBuilder().setChain("evm").addAddresses(swap.getTokenOutAddress()).build();
    RiskReport risk = trading.assessRisk(AssessRiskRequest.newBuilder().setQuote(assessed).setInput(checks).build());
    expect(risk.getLevel() == RiskLevel.RISK_LEVEL_LOW, "a low risk", risk);
    ExecuteResponse trial = trading.execute(ExecuteRequest.newBuilder().setInput(swap).build());
    expect(trial.getStatus() == ExecutionStatus.EXECUTION_STATUS_SIMULATED, "a simulation", trial);
    return quote.getQuoteId();
  }

  private BigDecimal held() {
    var asked = MetricsServicePositionsRequest.newBuilder().setTokenSymbol("USDC").build();
    List<Position> positions = as(token, MetricsServiceGrpc.newBlockingStub(channel)).positions(asked).getItemsList();
    expect(positions.size() == 1, "one position", positions);
    return new BigDecimal(positions.get(0).getQuantityDecimal());
  }

  private void trade(SwapInput swap, String quoteId) {
    BigDecimal before = held();
    ExecuteRequest request = ExecuteRequest.newBuilder()
        .setInput(swap.toBuilder().setSimulateOnly(false))
        .setConfirm(true)
        .setWalletRef("default")
        .setIdempotencyKey("java")
        .setQuoteId(quoteId)
        .build();
    ExecuteResponse first = trading.execute(request);
    expect(first.getStatus() == ExecutionStatus.EXECUTION_STATUS_SUCCESS, "a trade", first);
    var mined = GetTransactionReceiptRequest.newBuilder().setHash(first.getTxHash()).build();
    Receipt receipt = as(token, ChainServiceGrpc.newBlockingStub(channel)).getTransactionReceipt(mined).getReceipt();
    expect(receipt.getStatus().equals("0x1"), "its receipt on the chain", receipt);
    ExecuteResponse again = trading.execute(request);
    boolean same = again.getExecutionId().equals(first.getExecutionId()) && again.getTxHash().equals(first.getTxHash());
    expect(same && again.getReplayed(), "the same trade", again);
    BigDecimal gained = held().subtract(before);
    boolean grew = gained.compareTo(new BigDecimal(first.getAmountOut())) == 0;
    expect(grew, "a position that grew by the trade, once", gained);
  }

  private void mistake(SwapInput swap) throws InvalidProtocolBufferException {
    SwapInput wrong = swap.toBuilder().setAmountIn("-1").build();
    StatusRuntimeException refusal = null;
    try {
      trading.quote(QuoteRequest.newBuilder().setInput(wrong).build());
    } catch (StatusRuntimeException thrown) {
      refusal = thrown;
    }
    boolean refused = refusal != null && refusal.getStatus().getCode() == Status.Code.INVALID_ARGUMENT;
    expect(refused, "INVALID_ARGUMENT", refusal);
    List<String> fields = new ArrayList<>();
    for (Any detail : StatusProto.fromThrowable(refusal).getDetailsList()) {
      if (!detail.is(BadRequest.class)) continue;
      detail.unpack(BadRequest.class).getFieldViolationsList().forEach(violation -> fields.add(violation.getField()));
    }
    expect(fields.equals(List.of("input.amount_in")), "the wrong field", fields);
  }
}
