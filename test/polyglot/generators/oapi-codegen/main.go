// A trade with the client of oapi-codegen, which reads a response into the field of its status and media type.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"strings"

	"trident-client/trident"
)

func main() {
	url, ctx, token := os.Args[1], context.Background(), ""
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("authorization", "Bearer "+token)
		return nil
	}
	client, err := trident.NewClientWithResponses(url, trident.WithRequestEditorFn(authorize))
	check(err)

	email, password := rand.Text()+"@example.com", "correct horse battery"
	user, err := client.AuthRegisterWithResponse(ctx, nil, trident.AuthRegisterInput{Email: email, Password: password})
	check(err)
	expect(user.JSON200 != nil, "an account", user.Body)
	login, err := client.AuthLoginWithResponse(ctx, nil, trident.AuthLoginInput{Username: email, Password: password})
	check(err)
	expect(login.JSON200 != nil, "a token", login.Body)
	token = login.JSON200.AccessToken
	session, err := client.AuthCreateSessionWithResponse(ctx, nil, trident.AuthCreateSessionInput{Name: new("oapi-codegen")})
	check(err)
	expect(session.JSON200 != nil, "a session", session.Body)
	token = session.JSON200.Token.AccessToken

	chains, err := client.TradingListChainsWithResponse(ctx, nil)
	check(err)
	expect(chains.JSON200 != nil, "chains", chains.Body)
	chain := (*chains.JSON200)[0]
	address := map[string]string{}
	for _, token := range chain.Tokens {
		address[token.Symbol] = token.Address
	}
	swap := trident.SwapInput{
		ChainId:         chain.ChainId,
		TokenInAddress:  address["WETH"],
		TokenOutAddress: address["USDC"],
		AmountIn:        "0.1",
		SlippageBps:     50,
	}
	quote, err := client.TradingQuoteWithResponse(ctx, nil, trident.TradingQuoteInput{Input: swap})
	check(err)
	expect(quote.JSON200 != nil, "a quote", quote.Body)

	swap.SimulateOnly = new(false)
	trade, err := client.TradingExecuteWithResponse(ctx, nil, trident.TradingExecuteInput{
		Input:          swap,
		Confirm:        new(true),
		WalletRef:      new("default"),
		IdempotencyKey: new("oapi-codegen"),
		QuoteId:        &quote.JSON200.QuoteId,
	})
	check(err)
	expect(trade.JSON200 != nil && trade.JSON200.Status == trident.TradingExecuteOutputStatusSuccess, "a trade", trade.Body)
	kept, err := client.TradingGetExecutionWithResponse(ctx, *trade.JSON200.ExecutionId, nil)
	check(err)
	expect(kept.JSON200 != nil && *kept.JSON200.TxHash == *trade.JSON200.TxHash, "the trade as it is kept", kept.Body)

	question := trident.ChatMessageInput{Role: trident.ChatMessageInputRoleUser, Content: "what is my balance?"}
	stream, err := client.ChatStreamWithResponse(ctx, nil, trident.ChatStreamInput{Messages: []trident.ChatMessageInput{question}})
	check(err)
	events := string(stream.Body)
	expect(strings.HasPrefix(events, "data: {") && strings.HasSuffix(events, "data: [DONE]\n\n"), "an answer to its end", stream.Body)

	swap.AmountIn = "-1"
	refusal, err := client.TradingQuoteWithResponse(ctx, nil, trident.TradingQuoteInput{Input: swap})
	check(err)
	problem := refusal.ApplicationproblemJSON422
	expect(problem != nil && problem.Code == trident.INVALIDARGUMENT, "a refusal", refusal.Body)
	expect((*problem.Errors)[0].Path == "input.amount_in", "the wrong field", refusal.Body)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func expect(holds bool, what string, seen []byte) {
	if !holds {
		panic(fmt.Sprintf("expected %s, got %s", what, seen))
	}
}
