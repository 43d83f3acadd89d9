import type { AccountFeed } from './account-feed.ts'
import type { Accounts, KnownAddresses, Passwords, Sessions, Tokens } from './accounts.ts'
import type { Assistant } from './assistant.ts'
import type { BitcoinChain, BitcoinCodec } from './bitcoin.ts'
import type { Bridge } from './bridge.ts'
import type { Chains } from './chains.ts'
import type { ChatStreams, Messages, Offers } from './conversations.ts'
import type { Captcha, FaucetClaims, FaucetSettings } from './faucet.ts'
import type { Ledger } from './ledger.ts'
import type { Exchange, MarketData, MarketSubscriptions, SandboxMarket } from './market.ts'
import type { ChainNode, NodeFilters, Rollup, Sequencing } from './node.ts'
import type { Outbox, Sender, Workers } from './outbox.ts'
import type { Analytics, Subgraphs, TvlFeed } from './providers.ts'
import type { Clock, Hashing, Ids } from './system.ts'
import type { ChainHalts, FinalBlocks, Halts, TradingSettings, WalletPolicies } from './trade-policy.ts'
import type { Executions, Quotes } from './trades.ts'
import type { Grants, Signer, Wallets } from './wallets.ts'

/** All services and stores that the domain uses. A handler declares the ports that it needs and receives only those. */
export type Ports = {
  accountFeed: AccountFeed
  accounts: Accounts
  assistant: Assistant
  bitcoin: BitcoinCodec
  bridge: Bridge
  /** Null where the faucet requires none. */
  captcha: Captcha | null
  chainHalts: ChainHalts
  chains: Chains
  chatStreams: ChatStreams
  clock: Clock
  exchange: Exchange
  executions: Executions
  faucetClaims: FaucetClaims
  faucetSettings: FaucetSettings
  finalBlocks: FinalBlocks
  /** Null where new wallets are not funded. */
  grants: Grants | null
  halts: Halts
  hashing: Hashing
  ids: Ids
  knownAddresses: KnownAddresses
  ledger: Ledger
  marketSubscriptions: MarketSubscriptions
  messages: Messages
  node: ChainNode
  nodeFilters: NodeFilters
  offers: Offers
  outbox: Outbox
  passwords: Passwords
  providers: Providers
  quotes: Quotes
  rollup: Rollup
  /** Null on a public chain. */
  sandboxMarket: SandboxMarket | null
  sender: Sender
  /** Null where the gateway does not produce the blocks. */
  sequencing: Sequencing | null
  sessions: Sessions
  signer: Signer
  tokens: Tokens
  tradingSettings: TradingSettings
  walletPolicies: WalletPolicies
  wallets: Wallets
  workers: Workers
}

/** The providers of research and of the tools. */
export type Providers = {
  bitcoin: BitcoinChain
  markets: MarketData
  tvl: TvlFeed
  analytics: Analytics
  subgraphs: Subgraphs
}
