//! The main job of a trader over gRPC, with the stubs that tonic makes from proto/.
use std::{
    env,
    error::Error,
    fmt::Debug,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tonic::{transport::Channel, Code, Request};
use tonic_types::StatusExt;

#[allow(clippy::all)]
mod pb {
    tonic::include_proto!("trident.v1");
}
use pb::{
    auth_service_client::AuthServiceClient, chain_service_client::ChainServiceClient,
    chat_service_client::ChatServiceClient, metrics_service_client::MetricsServiceClient,
    trading_service_client::TradingServiceClient, ChatRole, ExecutionStatus, RiskLevel, SwapInput,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What every call of a session goes through: the connection, and the token that it carries.
struct Desk {
    channel: Channel,
    token: String,
}

fn expect(holds: bool, what: &str, seen: impl Debug) -> Outcome<()> {
    if holds {
        Ok(())
    } else {
        Err(format!("expected {what}, got {seen:?}").into())
    }
}

impl Desk {
    fn with<T>(&self, message: T) -> Outcome<Request<T>> {
        let mut request = Request::new(message);
        request.set_timeout(Duration::from_secs(60));
        if !self.token.is_empty() {
            request.metadata_mut().insert("authorization", format!("Bearer {}", self.token).parse()?);
        }
        Ok(request)
    }

    fn trading(&self) -> TradingServiceClient<Channel> {
        TradingServiceClient::new(self.channel.clone())
    }

    async fn log_in(&mut self) -> Outcome<()> {
        let mut auth = AuthServiceClient::new(self.channel.clone());
        let account = pb::RegisterRequest {
            email: format!("rust-{}@example.com", SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos()),
            password: "correct horse battery".into(),
        };
        let user = auth.register(self.with(account)?).await?.into_inner();
        self.token = user.token.unwrap_or_default().access_token;
        let session = auth.create_session(self.with(pb::CreateSessionRequest::default())?).await?.into_inner();
        self.token = session.token.unwrap_or_default().access_token;
        Ok(())
    }

    async fn chat(&self) -> Outcome<()> {
        let mut service = ChatServiceClient::new(self.channel.clone());
        let say = |text: &str| vec![pb::NewChatMessage { role: ChatRole::User.into(), content: text.into() }];
        let asked = pb::ChatServiceSendRequest { messages: say("what is my balance?"), ..Default::default() };
        let answer = service.send(self.with(asked)?).await?.into_inner();
        let told = answer.messages.last().is_some_and(|message| message.content.contains("25000 USDC"));
        expect(told, "the balance of a new wallet", answer)?;

        let asked = pb::ChatServiceStreamRequest { messages: say("quote 1 WETH to USDC"), ..Default::default() };
        let mut stream = service.stream(self.with(asked)?).await?.into_inner();
        let mut pieces = 0;
        while stream.message().await?.is_some() {
            pieces += 1;
        }
        expect(pieces >= 2, "an answer in pieces", pieces)
    }

    async fn weth_to_usdc(&self) -> Outcome<SwapInput> {
        let chains = self.trading().list_chains(self.with(pb::ListChainsRequest {})?).await?.into_inner();
        let chain = chains.items.first().ok_or("expected a chain")?;
        let address = |symbol: &str| {
            let token = chain.tokens.iter().find(|token| token.symbol == symbol);
            token.map(|token| token.address.clone()).ok_or(format!("expected the token {symbol}"))
        };
        Ok(SwapInput {
            chain_id: chain.chain_id,
            token_in_address: address("WETH")?,
            token_out_address: address("USDC")?,
            amount_in: "0.5".into(),
            slippage_bps: Some(50),
            ..Default::default()
        })
    }

    async fn weigh(&self, swap: &SwapInput) -> Outcome<String> {
        let asked = pb::QuoteRequest { input: Some(swap.clone()), ..Default::default() };
        let quote = self.trading().quote(self.with(asked)?).await?.into_inner();
        let asked = pb::AssessRiskRequest {
            quote: Some(pb::QuoteToAssess {
                expected_out: quote.expected_out,
                slippage_bps: Some(quote.slippage_bps),
                venue: quote.venue,
                quote_id: quote.quote_id.clone(),
                expires_at: quote.expires_at,
                route: quote.route,
                ..Default::default()
            }),
            input: Some(pb::RiskInput {
                chain: Some("evm".into()),
                addresses: vec![swap.token_out_address.clone()],
                ..Default::default()
            }),
            ..Default::default()
        };
        let risk = self.trading().assess_risk(self.with(asked)?).await?.into_inner();
        expect(risk.level() == RiskLevel::Low, "a low risk", risk)?;
        let asked = pb::ExecuteRequest { input: Some(swap.clone()), ..Default::default() };
        let trial = self.trading().execute(self.with(asked)?).await?.into_inner();
        expect(trial.status() == ExecutionStatus::Simulated, "a simulation", trial)?;
        Ok(quote.quote_id)
    }

    async fn held(&self) -> Outcome<i128> {
        let asked = pb::MetricsServicePositionsRequest { token_symbol: Some("USDC".into()), ..Default::default() };
        let mut metrics = MetricsServiceClient::new(self.channel.clone());
        let positions = metrics.positions(self.with(asked)?).await?.into_inner().items;
        expect(positions.len() == 1, "one position", &positions)?;
        amount(&positions[0].quantity_decimal)
    }

    async fn trade(&self, swap: &SwapInput, quote_id: String) -> Outcome<()> {
        let before = self.held().await?;
        let request = pb::ExecuteRequest {
            input: Some(SwapInput { simulate_only: Some(false), ..swap.clone() }),
            confirm: Some(true),
            wallet_ref: Some("default".into()),
            idempotency_key: Some("rust".into()),
            quote_id: Some(quote_id),
            ..Default::default()
        };
        let first = self.trading().execute(self.with(request.clone())?).await?.into_inner();
        expect(first.status() == ExecutionStatus::Success, "a trade", &first)?;
        let mined = pb::GetTransactionReceiptRequest { hash: first.tx_hash().into() };
        let mut chain = ChainServiceClient::new(self.channel.clone());
        let receipt = chain.get_transaction_receipt(self.with(mined)?).await?.into_inner().receipt.unwrap_or_default();
        expect(receipt.status == "0x1", "its receipt on the chain", receipt)?;
        let again = self.trading().execute(self.with(request)?).await?.into_inner();
        let same = again.execution_id == first.execution_id && again.tx_hash == first.tx_hash;
        expect(same && again.replayed(), "the same trade", again)?;
        let gained = self.held().await? - before;
        expect(gained == amount(&first.amount_out)?, "a position that grew by the trade, once", gained)
    }

    async fn mistake(&self, swap: &SwapInput) -> Outcome<()> {
        let wrong = SwapInput { amount_in: "-1".into(), ..swap.clone() };
        let asked = pb::QuoteRequest { input: Some(wrong), ..Default::default() };
        let refusal = self.trading().quote(self.with(asked)?).await.err().ok_or("expected a refusal")?;
        expect(refusal.code() == Code::InvalidArgument, "INVALID_ARGUMENT", &refusal)?;
        let bad_request = refusal.get_details_bad_request().ok_or("expected a BadRequest")?;
        let fields: Vec<_> = bad_request.field_violations.iter().map(|violation| &violation.field).collect();
        expect(fields == ["input.amount_in"], "the wrong field", &fields)
    }
}

/// An amount of at most 18 decimal places, in units of its last.
fn amount(decimal: &str) -> Outcome<i128> {
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    Ok(format!("{whole}{fraction:0<18}").parse()?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let address = env::args().nth(1).ok_or("the address of the gateway is missing")?;
    let channel = Channel::from_shared(format!("http://{address}"))?.connect().await?;
    let mut desk = Desk { channel, token: String::new() };
    desk.log_in().await?;
    desk.chat().await?;
    let swap = desk.weth_to_usdc().await?;
    let quote_id = desk.weigh(&swap).await?;
    desk.trade(&swap, quote_id).await?;
    desk.mistake(&swap).await
}
