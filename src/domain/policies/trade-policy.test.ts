import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DomainError } from '../core/errors.ts'
import { type Hex, nativeToken } from '../ports/chains.ts'
import type { Halt, TradePolicy, TradingSettings } from '../ports/trade-policy.ts'
import { forbiddenBy, type PolicyTrade, refuseHalted } from './trade-policy.ts'

const [weth, usdc]: Hex[] = [`0x${'aA'.repeat(20)}`, `0x${'bb'.repeat(20)}`]
const usd = 10n ** 18n
const open: TradePolicy = { maxTradeUsd: null, maxDailyUsd: null, tokens: null, venues: null, chains: null }
const settings = (policy: Partial<TradePolicy> = {}): TradingSettings => ({
  ...open,
  enabled: true,
  skipRiskAllowed: true,
  maxFeePerGas: null,
  publicUrl: '',
  quoteLifetimeMs: 1,
  timeoutMs: 1,
  fundingTimeoutMs: 1,
  ...policy,
})
const trade = (change: Partial<PolicyTrade> = {}): PolicyTrade => ({
  chainId: 1,
  tokens: [weth!, usdc!],
  venue: 'uniswap_v3',
  valueUsd: 100n,
  ...change,
})
const none = { accountUsd: 0n, walletUsd: 0n, sessionUsd: 0n, walletPolicy: null, halt: null, quoteUsed: false }
const factsOf = (change = {}) => ({ ...none, ...change })

describe('what forbids a trade', () => {
  test('nothing, where nothing is limited', () => {
    expect(forbiddenBy(trade({ valueUsd: null }), settings(), factsOf(), null)).toBeNull()
  })

  const limits: [string, Partial<TradePolicy>, Partial<PolicyTrade>, RegExp][] = [
    ['a chain that is not listed', { chains: [2] }, {}, /chain 1; it allows 2/],
    ['a venue that is not listed', { venues: ['uniswap_v2'] }, {}, /uniswap_v3; it allows uniswap_v2/],
    ['a token that is not listed', { tokens: [weth!] }, {}, /the token 0xbb+; it allows 0xaA(aA)+\.$/],
    [
      'native currency, where its wrapped token alone is listed',
      { tokens: [weth!] },
      { tokens: [nativeToken] },
      /the native currency \(0x0+\); it allows 0xaA/,
    ],
    [
      'a token, where many others are listed',
      { tokens: Array.from({ length: 12 }, () => weth!) },
      {},
      /(0x\w+, ){9}0x\w+ and 2 more\.$/,
    ],
    [
      'a trade over its cap',
      { maxTradeUsd: usd },
      { valueUsd: 2n * usd },
      /worth 2 USD, over .* of 1 USD; trade less\.$/,
    ],
    ['a trade over a cap of nothing', { maxTradeUsd: 0n }, {}, /of 0 USD, which lets nothing through\.$/],
    [
      'a day over its cap',
      { maxDailyUsd: usd },
      { valueUsd: 2n * usd },
      /would pass .* of 1 USD in 24 hours; trade less, or later\.$/,
    ],
    ['a day over a cap of nothing', { maxDailyUsd: 0n }, {}, /of 0 USD in 24 hours, which lets nothing through\.$/],
    ['an unknown price under a cap', { maxDailyUsd: 10n ** 30n }, { valueUsd: null }, /No feeds have a current price/],
    [
      'a chain without price feeds',
      { maxDailyUsd: 10n ** 30n },
      { valueUsd: null, feedless: true },
      /table of chain \d+ has no price feeds.*CHAIN_TABLE/,
    ],
  ]
  test.each(limits)('%s, by the configuration and by the wallet', (_name, policy, change, words) => {
    expect(forbiddenBy(trade(change), settings(policy), factsOf(), null)).toMatch(words)
    const walletPolicy = { ...open, ...policy }
    expect(forbiddenBy(trade(change), settings(), factsOf({ walletPolicy }), null)).toMatch(words)
  })

  test('no token that is listed in another letter case', () => {
    const tokens = [weth!.toLowerCase(), usdc!.toUpperCase().replace('0X', '0x')] as Hex[]
    expect(forbiddenBy(trade(), settings({ tokens }), factsOf(), null)).toBeNull()
  })

  test('native currency however the list writes it', () => {
    const native = trade({ tokens: [nativeToken] })
    for (const token of [nativeToken, '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'] as const)
      expect(forbiddenBy(native, settings({ tokens: [token] }), factsOf(), null)).toBeNull()
  })

  test('an order of an operator, whatever else allows it', () => {
    for (const halt of [
      { scope: 'global', id: '' },
      { scope: 'wallet', id: weth },
    ] as const)
      expect(() => refuseHalted(halt as Halt, (code, message) => new DomainError(code, message))).toThrow(/halted/)
    expect(() => refuseHalted(null, (code, message) => new DomainError(code, message))).not.toThrow()
  })

  test('the day counts the account for the configuration and the wallet for its own cap, to the last unit', () => {
    const amount = fc.bigInt(0n, 10n ** 24n)
    fc.assert(
      fc.property(amount, amount, amount, amount, amount, (value, accountUsd, walletUsd, ofAll, own) => {
        const walletPolicy = { ...open, maxDailyUsd: own }
        const facts = factsOf({ accountUsd, walletUsd, walletPolicy })
        const refused = forbiddenBy(trade({ valueUsd: value }), settings({ maxDailyUsd: ofAll }), facts, null)
        expect(refused === null).toBe(accountUsd + value <= ofAll && walletUsd + value <= own)
      }),
    )
  })
})
