import type { Accounts, Passwords, Sessions, Tokens } from './ports/accounts.ts'
import type { Assistant } from './ports/assistant.ts'
import type { BitcoinCodec } from './ports/bitcoin.ts'
import type { Bridge } from './ports/bridge.ts'
import type { Chains } from './ports/chains.ts'
import type { ChatStreams, Messages } from './ports/conversations.ts'
import type { Captcha, FaucetClaims, FaucetSettings } from './ports/faucet.ts'
import type { Halts } from './ports/halts.ts'
import type { Ledger } from './ports/ledger.ts'
import type { Exchange, MarketSubscriptions } from './ports/market.ts'
import type { ChainNode, Rollup, Sequencing } from './ports/node.ts'
import type { NodeFilters } from './ports/node-filters.ts'
import type { Offers } from './ports/offers.ts'
import type { Outbox, Sender } from './ports/outbox.ts'
import type { Providers } from './ports/providers.ts'
import type { Clock, Hashing, Ids } from './ports/system.ts'
import type { TradingSettings, WalletPolicies } from './ports/trade-policy.ts'
import type { Executions, Quotes } from './ports/trades.ts'
import type { Grants, Signer, Wallets } from './ports/wallets.ts'

/** Everything the domain needs of the world. A handler names the ones it uses; nothing else reaches it. */
export type Ports = {
  accounts: Accounts
  assistant: Assistant
  bitcoin: BitcoinCodec
  bridge: Bridge
  /** Null where the faucet asks for none. */
  captcha: Captcha | null
  chains: Chains
  chatStreams: ChatStreams
  clock: Clock
  exchange: Exchange
  executions: Executions
  faucetClaims: FaucetClaims
  faucetSettings: FaucetSettings
  /** Null where new wallets are not funded. */
  grants: Grants | null
  halts: Halts
  hashing: Hashing
  ids: Ids
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
  sender: Sender
  /** Null where others make the blocks. */
  sequencing: Sequencing | null
  sessions: Sessions
  signer: Signer
  tokens: Tokens
  tradingSettings: TradingSettings
  walletPolicies: WalletPolicies
  wallets: Wallets
}
