// The main job of a trader over gRPC, with the stubs that protoc-gen-go makes from proto/.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"os"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "trident-client/trident/v1"
)

func main() {
	log.SetFlags(log.Lshortfile)
	connection := must(grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials())))
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()

	ctx = logIn(ctx, pb.NewAuthServiceClient(connection))
	chat(ctx, pb.NewChatServiceClient(connection))
	trading := pb.NewTradingServiceClient(connection)
	swap := wethToUsdc(ctx, trading)
	trade(ctx, connection, swap, weigh(ctx, trading, swap))
	mistake(ctx, trading, swap)
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Output(2, err.Error())
		os.Exit(1)
	}
	return value
}

func expect(holds bool, what string, seen any) {
	if !holds {
		log.Fatalf("expected %s, got %v", what, seen)
	}
}

func asBearer(ctx context.Context, token *pb.Token) context.Context {
	return metadata.NewOutgoingContext(ctx, metadata.Pairs("authorization", "Bearer "+token.GetAccessToken()))
}

func logIn(ctx context.Context, auth pb.AuthServiceClient) context.Context {
	user := must(auth.Register(ctx, &pb.RegisterRequest{
		Email:    fmt.Sprintf("go-%d@example.com", time.Now().UnixNano()),
		Password: "correct horse battery",
	}))
	session := must(auth.CreateSession(asBearer(ctx, user.GetToken()), &pb.CreateSessionRequest{}))
	return asBearer(ctx, session.GetToken())
}

func chat(ctx context.Context, service pb.ChatServiceClient) {
	say := func(text string) []*pb.NewChatMessage {
		return []*pb.NewChatMessage{{Role: pb.ChatRole_CHAT_ROLE_USER, Content: text}}
	}
	answer := must(service.Send(ctx, &pb.ChatServiceSendRequest{Messages: say("what is my balance?")}))
	last := answer.GetMessages()[len(answer.GetMessages())-1].GetContent()
	expect(strings.Contains(last, "25000 USDC"), "the balance of a new wallet", last)

	stream := must(service.Stream(ctx, &pb.ChatServiceStreamRequest{Messages: say("quote 1 WETH to USDC")}))
	pieces := 0
	for {
		_, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		must(pieces, err)
		pieces++
	}
	expect(pieces >= 2, "an answer in pieces", pieces)
}

func wethToUsdc(ctx context.Context, trading pb.TradingServiceClient) *pb.SwapInput {
	chain := must(trading.ListChains(ctx, &pb.ListChainsRequest{})).GetItems()[0]
	address := map[string]string{}
	for _, token := range chain.GetTokens() {
		address[token.GetSymbol()] = token.GetAddress()
	}
	return &pb.SwapInput{
		ChainId:         chain.GetChainId(),
		TokenInAddress:  address["WETH"],
		TokenOutAddress: address["USDC"],
		AmountIn:        "0.5",
		SlippageBps:     proto.Int32(50),
	}
}

func weigh(ctx context.Context, trading pb.TradingServiceClient, swap *pb.SwapInput) string {
	quote := must(trading.Quote(ctx, &pb.QuoteRequest{Input: swap}))
	risk := must(trading.AssessRisk(ctx, &pb.AssessRiskRequest{
		Quote: &pb.QuoteToAssess{
			ExpectedOut: quote.GetExpectedOut(),
			SlippageBps: proto.Int32(quote.GetSlippageBps()),
			Venue:       quote.GetVenue(),
			QuoteId:     quote.GetQuoteId(),
			ExpiresAt:   quote.GetExpiresAt(),
			Route:       quote.GetRoute(),
		},
		Input: &pb.RiskInput{Chain: proto.String("evm"), Addresses: []string{swap.GetTokenOutAddress()}},
	}))
	expect(risk.GetLevel() == pb.RiskLevel_RISK_LEVEL_LOW, "a low risk", risk)
	trial := must(trading.Execute(ctx, &pb.ExecuteRequest{Input: swap}))
	expect(trial.GetStatus() == pb.ExecutionStatus_EXECUTION_STATUS_SIMULATED, "a simulation", trial)
	return quote.GetQuoteId()
}

func trade(ctx context.Context, connection *grpc.ClientConn, swap *pb.SwapInput, quoteID string) {
	trading, metrics := pb.NewTradingServiceClient(connection), pb.NewMetricsServiceClient(connection)
	held := func() *big.Rat {
		positions := must(metrics.Positions(ctx, &pb.MetricsServicePositionsRequest{TokenSymbol: proto.String("USDC")})).GetItems()
		expect(len(positions) == 1, "one position", positions)
		return amount(positions[0].GetQuantityDecimal())
	}
	before := held()
	order := proto.Clone(swap).(*pb.SwapInput)
	order.SimulateOnly = proto.Bool(false)
	request := &pb.ExecuteRequest{
		Input:          order,
		Confirm:        proto.Bool(true),
		WalletRef:      proto.String("default"),
		IdempotencyKey: proto.String("go"),
		QuoteId:        proto.String(quoteID),
	}
	first := must(trading.Execute(ctx, request))
	expect(first.GetStatus() == pb.ExecutionStatus_EXECUTION_STATUS_SUCCESS, "a trade", first)
	mined := &pb.GetTransactionReceiptRequest{Hash: first.GetTxHash()}
	receipt := must(pb.NewChainServiceClient(connection).GetTransactionReceipt(ctx, mined)).GetReceipt()
	expect(receipt.GetStatus() == "0x1", "its receipt on the chain", receipt)
	again := must(trading.Execute(ctx, request))
	same := again.GetExecutionId() == first.GetExecutionId() && again.GetTxHash() == first.GetTxHash()
	expect(same && again.GetReplayed(), "the same trade", again)
	gained := new(big.Rat).Sub(held(), before)
	expect(gained.Cmp(amount(first.GetAmountOut())) == 0, "a position that grew by the trade, once", gained)
}

func amount(decimal string) *big.Rat {
	value, ok := new(big.Rat).SetString(decimal)
	expect(ok, "an amount", decimal)
	return value
}

func mistake(ctx context.Context, trading pb.TradingServiceClient, swap *pb.SwapInput) {
	wrong := proto.Clone(swap).(*pb.SwapInput)
	wrong.AmountIn = "-1"
	answer, err := trading.Quote(ctx, &pb.QuoteRequest{Input: wrong})
	refusal := status.Convert(err)
	expect(refusal.Code() == codes.InvalidArgument, "INVALID_ARGUMENT", answer)
	fields := []string{}
	for _, detail := range refusal.Details() {
		if badRequest, ok := detail.(*errdetails.BadRequest); ok {
			for _, violation := range badRequest.GetFieldViolations() {
				fields = append(fields, violation.GetField())
			}
		}
	}
	expect(len(fields) == 1 && fields[0] == "input.amount_in", "the wrong field", fields)
}
