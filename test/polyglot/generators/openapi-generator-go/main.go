// A trade with the OpenAPI Generator's client for Go: a builder for each request, whose error has the problem.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"

	"trident-client/trident"
)

func main() {
	configuration := trident.NewConfiguration()
	configuration.Servers = trident.ServerConfigurations{{URL: os.Args[1]}}
	client := trident.NewAPIClient(configuration)
	ctx := context.Background()
	bearer := func(token string) context.Context { return context.WithValue(ctx, trident.ContextAccessToken, token) }

	email, password := rand.Text()+"@example.com", "correct horse battery"
	_, _, err := client.AuthAPI.AuthRegister(ctx).AuthRegisterInput(*trident.NewAuthRegisterInput(email, password)).Execute()
	check(err)
	user, _, err := client.AuthAPI.AuthLogin(ctx).AuthLoginInput(*trident.NewAuthLoginInput(email, password)).Execute()
	check(err)
	naming := trident.AuthCreateSessionInput{Name: new("openapi-generator")}
	session, _, err := client.AuthAPI.AuthCreateSession(bearer(user.AccessToken)).AuthCreateSessionInput(naming).Execute()
	check(err)
	ctx = bearer(session.Token.AccessToken)

	chains, _, err := client.TradingAPI.TradingListChains(ctx).Execute()
	check(err)
	address := map[string]string{}
	for _, token := range chains[0].Tokens {
		address[token.Symbol] = token.Address
	}
	swap := trident.NewSwapInput(chains[0].ChainId, address["WETH"], address["USDC"], "0.1", 50)
	quote, _, err := client.TradingAPI.TradingQuote(ctx).TradingQuoteInput(*trident.NewTradingQuoteInput(*swap)).Execute()
	check(err)

	swap.SetSimulateOnly(false)
	order := trident.NewTradingExecuteInput(*swap)
	order.SetConfirm(true)
	order.SetWalletRef("default")
	order.SetIdempotencyKey("openapi-generator")
	order.SetQuoteId(quote.QuoteId)
	trade, _, err := client.TradingAPI.TradingExecute(ctx).TradingExecuteInput(*order).Execute()
	check(err)
	expect(trade.Status == "success", "a trade", trade)
	kept, _, err := client.TradingAPI.TradingGetExecution(ctx, trade.GetExecutionId()).Execute()
	check(err)
	expect(kept.GetTxHash() == trade.GetTxHash(), "the trade as it is kept", kept)

	question := trident.NewChatStreamInput([]trident.ChatMessageInput{*trident.NewChatMessageInput("user", "what is my balance?")})
	events, _, err := client.ChatAPI.ChatStream(ctx).ChatStreamInput(*question).Execute()
	check(err)
	expect(strings.HasPrefix(events, "data: {") && strings.HasSuffix(events, "data: [DONE]\n\n"), "an answer to its end", events)

	swap.AmountIn = "-1"
	_, _, err = client.TradingAPI.TradingQuote(ctx).TradingQuoteInput(*trident.NewTradingQuoteInput(*swap)).Execute()
	var refusal *trident.GenericOpenAPIError
	expect(errors.As(err, &refusal), "a refusal", err)
	problem, typed := refusal.Model().(trident.Problem)
	expect(typed && problem.Code == "INVALID_ARGUMENT", "a refusal", string(refusal.Body()))
	expect(problem.Errors[0].Path == "input.amount_in", "the wrong field", problem)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func expect(holds bool, what string, seen any) {
	if !holds {
		panic(fmt.Sprintf("expected %s, got %+v", what, seen))
	}
}
