import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TokenFacts, TokenPowers, Trial, TrialStage } from '../ports/chains.ts'
import { judgeToken } from './judge-token.ts'
import type { RiskLimits } from './risk-limits.ts'
import { worseVerdict } from './risk-rules.ts'

const usual: RiskLimits = {
  maxPriceImpactBps: null,
  minLiquidityUsd: null,
  maxTaxBps: null,
  maxPriceDeviationBps: null,
  maxWhaleBps: null,
}
const done: TrialStage = { ran: true, ok: true, taxBps: 0, reason: null }
const refused: TrialStage = { ran: true, ok: false, taxBps: 0, reason: 'not you' }
const unreached: TrialStage = { ran: false, ok: false, taxBps: 0, reason: null }
const clean: Trial = {
  venue: 'uniswap_v2',
  pool: '0x01',
  paidWith: '0x02',
  roundTripLossBps: 60,
  buy: done,
  move: done,
  sell: done,
}
const unowned: TokenPowers = {
  issuer: [],
  traps: [],
  owner: null,
  ownerIsContract: false,
  renounced: false,
  implementation: null,
  upgradeable: false,
  ownerMintsNow: null,
}
const owned: TokenPowers = { ...unowned, owner: '0x0a' }
const pool = { venue: 'uniswap_v2', pool: '0x01', supplyBps: 5_000, burnedBps: 10_000, ownerBps: 0 } as const
const sound: TokenFacts = {
  block: { number: 7n, hash: '0x07', timestamp: 1n },
  code: true,
  powers: unowned,
  pools: [pool],
  trials: [clean],
}
const judge = (change: Partial<TokenFacts>, known = false, limits = usual) =>
  judgeToken({ ...sound, ...change }, known, limits)

test('a token that was not tried: what the nodes lack is told apart, with what to configure', () => {
  const says = (untried: TokenFacts['untried']) =>
    JSON.stringify(judge({ trials: [], ...(untried === undefined ? {} : { untried }) }))
  expect(says('state overrides')).toMatch(/do not run eth_call with state overrides.*Set CHAIN_RPC_URL to a node that/)
  expect(says('access lists')).toMatch(/neither eth_createAccessList nor debug_traceCall.*Set CHAIN_RPC_URL/)
  expect(says(undefined)).toMatch(/The node did not run the calls/)
})

describe('a token', () => {
  test.each<[string, Partial<TokenFacts>, string, string[]]>([
    ['sound', {}, 'pass', []],
    ['that is not a contract', { code: false, trials: [], pools: [] }, 'unknown', ['not_a_contract']],
    ['without a pool', { trials: [], pools: [] }, 'unknown', ['no_pool']],
    ['that the node cannot simulate', { trials: [] }, 'unknown', ['not_probed']],
    ['that cannot be sold', { trials: [{ ...clean, sell: refused }] }, 'fail', ['cannot_sell']],
    [
      'that cannot be bought',
      { trials: [{ ...clean, buy: refused, move: unreached, sell: unreached }] },
      'fail',
      ['cannot_buy'],
    ],
    ['that cannot be moved', { trials: [{ ...clean, move: refused, sell: unreached }] }, 'fail', ['cannot_transfer']],
    ['sold on one venue only', { trials: [clean, { ...clean, sell: refused }] }, 'warn', ['cannot_sell_everywhere']],
    ['taxed by a little', { trials: [{ ...clean, move: { ...done, taxBps: 50 } }] }, 'warn', ['taxed']],
    ['taxed by a tenth', { trials: [{ ...clean, buy: { ...done, taxBps: 1_000 } }] }, 'fail', ['high_tax']],
    [
      'of one key that mints',
      { powers: { ...owned, issuer: ['mint'], ownerMintsNow: true } },
      'fail',
      ['owner_can_mint'],
    ],
    [
      'of a contract that mints',
      { powers: { ...owned, issuer: ['mint'], ownerMintsNow: true, ownerIsContract: true } },
      'warn',
      ['owner_can_mint'],
    ],
    [
      'with a switch for sales',
      { powers: { ...owned, traps: ['switch_selling'] } },
      'warn',
      ['owner_can_switch_selling'],
    ],
    ['renounced by its owner', { powers: { ...owned, traps: ['set_taxes'], renounced: true } }, 'pass', []],
    [
      'renounced by its owner, but upgradeable',
      { powers: { ...owned, issuer: ['upgrade'], renounced: true, upgradeable: true } },
      'warn',
      ['owner_can_upgrade'],
    ],
    [
      'whose owner holds the pool',
      { powers: owned, pools: [{ ...pool, ownerBps: 5_000 }] },
      'warn',
      ['owner_holds_liquidity'],
    ],
  ])('%s', (_name, change, verdict, flags) => {
    expect(judge(change)).toMatchObject({ verdict, flags })
  })

  test('with a known issuer may have the ordinary powers of issuers, but no traps', () => {
    const powers = { ...owned, issuer: ['mint', 'pause', 'blacklist', 'upgrade'], ownerMintsNow: true }
    expect(judge({ powers, pools: [{ ...pool, ownerBps: 9_999 }] }, true)).toMatchObject({ verdict: 'pass', flags: [] })
    expect(judge({ powers: { ...powers, traps: ['set_taxes'] } }, true).verdict).toBe('warn')
    // The details show why the same powers are judged differently.
    expect(judge({ powers }, true).details).toMatchObject({ owner_mints_now: true, known_issuer: true })
    expect(judge({ powers }, false)).toMatchObject({ verdict: 'fail', details: { known_issuer: false } })
  })

  test('with a transfer tax is judged by the limit of the caller', () => {
    const taxed = { trials: [{ ...clean, sell: { ...done, taxBps: 300 } }] }
    expect(judge(taxed, true, { ...usual, maxTaxBps: 299 }).flags).toEqual(['tax_above_threshold'])
    expect(judge(taxed, true, { ...usual, maxTaxBps: 300 })).toMatchObject({ verdict: 'warn', flags: ['taxed'] })
    expect(judge({ trials: [] }, true, { ...usual, maxTaxBps: 300 }).flags).toEqual(['not_probed', 'tax_unknown'])
  })
})

const stage = fc.record<TrialStage>({
  ran: fc.constant(true),
  ok: fc.boolean(),
  taxBps: fc.integer({ min: 0, max: 10_000 }),
  reason: fc.constant('no'),
})
const trial = fc.record<Trial>({
  venue: fc.constant('uniswap_v2' as const),
  pool: fc.constant('0x01'),
  paidWith: fc.constant('0x02'),
  buy: stage,
  move: stage,
  sell: stage,
  roundTripLossBps: fc.constant(0),
})
const powers = fc.record<TokenPowers>({
  issuer: fc.subarray(['mint', 'pause', 'blacklist', 'upgrade']),
  traps: fc.subarray(['set_taxes', 'switch_selling', 'limit_amounts']),
  owner: fc.constantFrom(null, '0x0a'),
  ownerIsContract: fc.boolean(),
  renounced: fc.boolean(),
  upgradeable: fc.boolean(),
  implementation: fc.constant(null),
  ownerMintsNow: fc.constantFrom(null, true, false),
})

describe('for any token', () => {
  test('the check passes only where every simulated purchase could be sold again', () => {
    fc.assert(
      fc.property(fc.array(trial, { maxLength: 2 }), powers, fc.boolean(), (trials, held, known) => {
        const { verdict } = judge({ trials, powers: held }, known)
        if (trials.length === 0) expect(verdict).not.toBe('pass')
        if (trials.length > 0 && trials.every(({ sell }) => !sell.ok)) expect(verdict).toBe('fail')
        if (verdict === 'pass') expect(trials.every(({ buy, sell }) => !buy.ok || sell.ok)).toBe(true)
      }),
    )
  })

  test('an unknown issuer is never judged less strictly than a known one', () => {
    fc.assert(
      fc.property(fc.array(trial, { maxLength: 2 }), powers, (trials, held) => {
        const unknown = judge({ trials, powers: held }).verdict
        expect(worseVerdict(unknown, judge({ trials, powers: held }, true).verdict)).toBe(unknown)
      }),
    )
  })
})
