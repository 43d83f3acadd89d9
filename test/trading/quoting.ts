import { callsOnly } from '../../src/adapters/chain/fixtures/nodes.ts'
import { joinChains, openChain } from '../../src/adapters/chain/viem-chain.ts'
import { randomIds } from '../../src/adapters/system/system.ts'
import { contract } from '../../src/contract/index.ts'
import { callOf } from '../../src/domain/core/handler.ts'
import type { Ports } from '../../src/domain/ports/index.ts'
import type { StoredQuote } from '../../src/domain/ports/trades.ts'
import { quote } from '../../src/domain/quoting/quote.ts'
import { temporaryDir, testSandbox } from '../../src/sandbox/fixtures/testing.ts'
import { tradingTimes } from '../../src/wiring/trading-settings.ts'
import { clockAt } from '../clock.ts'

type Needed = Pick<Ports, 'chains' | 'clock' | 'ids' | 'quotes' | 'tradingSettings' | 'walletPolicies' | 'wallets'>

/** Settings without limits. */
export const unlimited = { maxTradeUsd: null, maxDailyUsd: null, tokens: null, venues: null, chains: null }

export type QuotingWorld = Awaited<ReturnType<typeof openQuotingWorld>>

/** The ports of quotes and risk checks over a real chain, with a clock that the test sets. */
export async function openQuotingWorld() {
  const dir = await temporaryDir()
  const sandbox = await testSandbox(dir.path)
  const clock = { at: new Date('2026-03-01T10:00:00.000Z') }
  const kept = new Map<string, StoredQuote>()
  const ports: Needed = {
    chains: joinChains(openChain({ deployment: sandbox.deployment, node: callsOnly(sandbox.request), sandbox: true })),
    clock: clockAt(() => clock.at),
    ids: randomIds,
    quotes: {
      save: async (stored) => void kept.set(`${stored.userId} ${stored.id}`, stored),
      find: async (userId, id) => kept.get(`${userId} ${id}`) ?? null,
      purge: async () => 0,
    },
    tradingSettings: {
      ...unlimited,
      enabled: true,
      skipRiskAllowed: true,
      maxFeePerGas: null,
      publicUrl: '',
      ...tradingTimes,
    },
    walletPolicies: { find: async () => null, set: async () => undefined },
    wallets: { find: async () => null } as Partial<Ports['wallets']> as Ports['wallets'],
  }

  const token = (symbol: string) => sandbox.deployment.tokens.find((known) => known.symbol === symbol)!.address
  return {
    ports,
    clock,
    token,
    swap: (from: string, to: string, amount: string, more: object = {}) => ({
      chain_id: 84_532,
      token_in_address: token(from),
      token_out_address: token(to),
      amount_in: amount,
      slippage_bps: 50,
      ...more,
    }),
    quote: async (input: unknown, userId = 1) =>
      contract.trading.quote.output.parse(
        await quote(ports, contract.trading.quote.input.parse({ input }), callBy(userId)),
      ),
    async close() {
      await sandbox[Symbol.asyncDispose]()
      await dir[Symbol.asyncDispose]()
    },
  }
}

/** A call with an account's session. */
export function callBy<O>(userId = 1) {
  const principal = { userId, sessionId: 'a session' } as never
  const signal = new AbortController().signal
  return callOf<O>({
    principal,
    holder: null,
    requestId: 'r',
    clientAddress: '127.0.0.1',
    ownAddress: '127.0.0.1',
    keyOrAddress: 'address:127.0.0.1',
    tier: 'free',
    signal,
    disconnected: signal,
    spent: () => undefined,
    markReplayed: () => undefined,
    nameStream: () => undefined,
    reportFailure: () => undefined,
  })
}
