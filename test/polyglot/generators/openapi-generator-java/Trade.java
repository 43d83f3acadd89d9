import java.util.List;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AuthApi;
import org.openapitools.client.api.ChatApi;
import org.openapitools.client.api.TradingApi;
import org.openapitools.client.auth.HttpBearerAuth;
import org.openapitools.client.model.*;

/** A trade with the OpenAPI Generator's client for Java: its exception has the body, from which a model reads the problem. */
public final class Trade {
    public static void main(String[] arguments) throws Exception {
        var client = new ApiClient().setBasePath(arguments[0]);
        var auth = new AuthApi(client);
        var trading = new TradingApi(client);

        var email = UUID.randomUUID() + "@example.com";
        var password = "correct horse battery";
        auth.authRegister(new AuthRegisterInput().email(email).password(password), null);
        var user = auth.authLogin(new AuthLoginInput().username(email).password(password), null);
        bearer(client, "userToken").setBearerToken(user.getAccessToken());
        var session = auth.authCreateSession(null, new AuthCreateSessionInput().name("openapi-generator"));
        bearer(client, "sessionToken").setBearerToken(session.getToken().getAccessToken());

        var chain = trading.tradingListChains(null).get(0);
        var quote = trading.tradingQuote(new TradingQuoteInput().input(swap(chain, "0.1")), null);
        var order = new TradingExecuteInput()
            .input(swap(chain, "0.1").simulateOnly(false))
            .confirm(true)
            .walletRef("default")
            .idempotencyKey("openapi-generator")
            .quoteId(quote.getQuoteId());
        var execution = trading.tradingExecute(order, null);
        expect(execution.getStatus() == TradingExecuteOutput.StatusEnum.SUCCESS, "a trade", execution);
        var kept = trading.tradingGetExecution(execution.getExecutionId(), null, null);
        expect(kept.getTxHash().equals(execution.getTxHash()), "the trade as it is kept", kept);

        var question = new ChatMessageInput().role(ChatMessageInput.RoleEnum.USER).content("what is my balance?");
        var events = new ChatApi(client).chatStream(new ChatStreamInput().messages(List.of(question)), null, null);
        expect(events.startsWith("data: {") && events.endsWith("data: [DONE]\n\n"), "an answer to its end", events);

        try {
            trading.tradingQuote(new TradingQuoteInput().input(swap(chain, "-1")), null);
            throw new AssertionError("a negative amount was quoted");
        } catch (ApiException refusal) {
            var problem = Problem.fromJson(refusal.getResponseBody());
            expect(problem.getCode() == Problem.CodeEnum.INVALID_ARGUMENT, "a refusal", problem);
            expect(problem.getErrors().get(0).getPath().equals("input.amount_in"), "the wrong field", problem);
        }
    }

    /** The token of one scheme: of several, `client.setBearerToken` would set any one. */
    private static HttpBearerAuth bearer(ApiClient client, String scheme) {
        return (HttpBearerAuth) client.getAuthentication(scheme);
    }

    private static SwapInput swap(Chain chain, String amount) {
        return new SwapInput()
            .chainId(chain.getChainId())
            .tokenInAddress(address(chain, "WETH"))
            .tokenOutAddress(address(chain, "USDC"))
            .amountIn(amount)
            .slippageBps(50);
    }

    private static String address(Chain chain, String symbol) {
        return chain.getTokens().stream().filter(token -> token.getSymbol().equals(symbol)).findFirst().orElseThrow().getAddress();
    }

    private static void expect(boolean holds, String what, Object seen) {
        if (!holds) throw new AssertionError("expected " + what + ", got " + seen);
    }
}
