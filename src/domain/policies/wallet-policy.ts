import type { contract } from '../../contract/index.ts'
import type { Fail } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { TradePolicy } from '../ports/trade-policy.ts'
import type { Wallet } from '../ports/wallets.ts'
import { parseUnits, usdText } from '../values/money.ts'
import { requireKnown } from './known-policy.ts'
import { capMs } from './trade-policy.ts'

type Needs = 'chains' | 'walletPolicies' | 'wallets'

const unlimited: TradePolicy = { maxTradeUsd: null, maxDailyUsd: null, tokens: null, venues: null, chains: null }

/** Replaces the limits of one of the account's wallets. An unknown chain or token is INVALID_ARGUMENT. */
export const setWalletPolicy: Handler<typeof contract.trading.setWalletPolicy, Needs> = async (ports, input, call) => {
  const wallet = await ownWallet(ports, call.principal.userId, input.wallet_ref, call.fail)
  const usd = (text: string | undefined, field: string) => (text === undefined ? null : parseUnits(text, 18, field))
  const policy: TradePolicy = {
    maxTradeUsd: usd(input.max_trade_usd, 'max_trade_usd'),
    maxDailyUsd: usd(input.max_daily_usd, 'max_daily_usd'),
    tokens: named(input.tokens as Hex[] | undefined), // the contract's pattern has checked them
    venues: named(input.venues),
    chains: named(input.chains),
  }
  requireKnown(ports.chains, policy, { chains: 'chains', tokens: 'tokens' })
  await ports.walletPolicies.set(wallet, policy)
  return present(input.wallet_ref, policy)
}

type ReadNeeds = 'clock' | 'executions' | 'walletPolicies' | 'wallets'

/** The limits of one of the account's wallets, and what it has used of the daily one where the caller asks. */
export const getWalletPolicy: Handler<typeof contract.trading.getWalletPolicy, ReadNeeds> = async (
  ports,
  input,
  call,
) => {
  const { userId } = call.principal
  const wallet = await ownWallet(ports, userId, input.wallet_ref, call.fail)
  const policy = present(input.wallet_ref, (await ports.walletPolicies.find(wallet.address)) ?? unlimited)
  if (!input.with_used) return policy
  const since = new Date(ports.clock.now().getTime() - capMs)
  const { wallets } = await ports.executions.tradedSince(userId, since)
  return { ...policy, used_today_usd: usdText(wallets.get(wallet.address) ?? 0n) }
}

/** An empty list is no limit, because protobuf cannot tell it from an absent one. */
function named<T>(list: readonly T[] | undefined): readonly T[] | null {
  return list === undefined || list.length === 0 ? null : list
}

/** The account's wallet of that name; its starting funds may still be on the way. */
export async function ownWallet(
  ports: Pick<Ports, 'wallets'>,
  userId: number,
  ref: string,
  fail: Fail<'NOT_FOUND'>,
): Promise<Wallet> {
  const wallet = await ports.wallets.find(userId, ref)
  if (wallet !== null) return wallet
  throw fail('NOT_FOUND', `You have no wallet ${ref}. Call trading.listWallets for the names of your wallets.`)
}

function present(ref: string, { maxTradeUsd, maxDailyUsd, tokens, venues, chains }: TradePolicy) {
  return {
    wallet_ref: ref,
    ...(maxTradeUsd === null ? {} : { max_trade_usd: usdText(maxTradeUsd) }),
    ...(maxDailyUsd === null ? {} : { max_daily_usd: usdText(maxDailyUsd) }),
    ...(tokens === null ? {} : { tokens: [...tokens] }),
    ...(venues === null ? {} : { venues: [...venues] }),
    ...(chains === null ? {} : { chains: [...chains] }),
  }
}
