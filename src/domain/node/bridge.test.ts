import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import type { BridgeFacts, BridgeLeg, WithdrawalStage } from '../ports/bridge.ts'
import { watchBridge } from './bridge.ts'
import { bridgeStatusOf } from './bridge-status.ts'

const alice = `0x${'a1'.repeat(20)}` as const
const bob = `0x${'b0'.repeat(20)}` as const
const pace = { parentBlock: 4, rollupBlock: 2, finalizationSeconds: 10, confirmations: 2 }
const minimum = 10n ** 16n

const leg = (digit: string, confirmations = 0, succeeded = true): BridgeLeg => ({
  hash: `0x${digit.repeat(64)}`,
  block: confirmations === 0 ? null : { number: 7, timestamp: new Date(100_000), confirmations, succeeded },
})
const stranded = (digit: string): BridgeLeg => {
  const { hash, block } = leg(digit, 1)
  return { hash, block: block && { ...block, stranded: true } }
}
const deposit = (parent: BridgeLeg, rollup: BridgeLeg | null, amount = minimum): BridgeFacts => ({
  direction: 'deposit',
  from: alice,
  to: bob,
  amount,
  pace,
  parent,
  rollup,
})
const withdrawal = (rollup: BridgeLeg, parent: BridgeLeg | null, stage: WithdrawalStage): BridgeFacts => ({
  direction: 'withdrawal',
  hash: null,
  from: alice,
  to: bob,
  amount: 1n,
  pace,
  rollup,
  parent,
  stage,
})

test.each([
  ['waits', deposit(leg('1'), null), 'pending', 'wait_for_inclusion', 10],
  ['was taken', deposit(leg('1', 1), null), 'relaying', 'wait_for_rollup', 6],
  ['is deep enough', deposit(leg('1', 2), leg('2')), 'relaying', 'wait_for_rollup', 2],
  ['arrived', deposit(leg('1', 3), leg('2', 1)), 'complete', 'none', undefined],
  ['reverted at once', deposit(leg('1', 1, false), null), 'failed', 'none', undefined],
  ['is stranded', deposit(leg('1', 3), stranded('2')), 'failed', 'none', undefined],
  ['reverted there', deposit(leg('1', 3), leg('2', 1, false)), 'failed', 'none', undefined],
])('a deposit that %s', (_, facts, state, next_step, estimated_seconds) => {
  const status = bridgeStatusOf([facts])
  expect(status).toMatchObject({ state, next_step, l1_tx_hash: leg('1').hash })
  expect(status.estimated_seconds).toBe(estimated_seconds)
  expect('error' in status).toBe(state === 'failed')
})

test.each([
  ['waits', withdrawal(leg('2'), null, { at: 'begun', secondsToOutput: 30 }), 'pending', 'wait_for_inclusion', 48],
  [
    'has no output',
    withdrawal(leg('2', 1), null, { at: 'begun', secondsToOutput: 8 }),
    'relaying',
    'wait_for_output',
    26,
  ],
  ['can be proven', withdrawal(leg('2', 9), null, { at: 'provable' }), 'relaying', 'prove', 18],
  [
    'matures',
    withdrawal(leg('2', 9), leg('1', 1), { at: 'proven', secondsToFinalize: 5 }),
    'relaying',
    'wait_for_maturity',
    9,
  ],
  [
    'can be paid',
    withdrawal(leg('2', 9), leg('1', 5), { at: 'proven', secondsToFinalize: 0 }),
    'relaying',
    'finalize',
    4,
  ],
  ['is paid', withdrawal(leg('2', 9), leg('1', 1), { at: 'paid' }), 'complete', 'none', undefined],
  ['failed at the end', withdrawal(leg('2', 9), leg('1', 1, false), { at: 'paid' }), 'failed', 'none', undefined],
  ['is paid, but not found', withdrawal(leg('2', 9), null, { at: 'paid' }), 'complete', 'none', undefined],
  ['is stranded', withdrawal(leg('2', 9), stranded('1'), { at: 'paid' }), 'failed', 'none', undefined],
  ['reverted', withdrawal(leg('2', 1, false), null, { at: 'begun', secondsToOutput: 8 }), 'failed', 'none', undefined],
])('a withdrawal that %s', (_, facts, state, next_step, estimated_seconds) => {
  const status = bridgeStatusOf([facts])
  expect(status).toMatchObject({ state, next_step, l2_tx_hash: leg('2').hash, below_minimum: false })
  expect(status.estimated_seconds).toBe(estimated_seconds)
})

test('only a deposit of less than 0.01 is below the minimum, and every status has the form of the contract', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n * minimum }), fc.nat(5), fc.nat(5), fc.boolean(), (amount, a, b, ok) => {
      const status = bridgeStatusOf([deposit(leg('1', a), a > 0 ? leg('2', b, ok) : null, amount)])
      expect(status.below_minimum).toBe(amount < minimum)
      expect(status.amount).toBe(amount.toString())
      contract.chain.bridgeStatus.output.parse(status)
    }),
  )
})

const paid = (ok: boolean) => withdrawal(leg('2', 9), leg('1', 1, ok), { at: 'paid' })
const proven = (seconds: number) => withdrawal(leg('2', 9), leg('3', 1), { at: 'proven', secondsToFinalize: seconds })
const provable = withdrawal(leg('2', 9), null, { at: 'provable' })
const arrived = (ok: boolean) => deposit(leg('1', 3), leg('2', 1, ok))

test.each<[string, BridgeFacts[], string, string, RegExp | null]>([
  ['one paid, one not proven', [paid(true), provable], 'relaying', 'prove', null],
  ['one failed, one not proven', [paid(false), provable], 'relaying', 'prove', /^1 of 2 failed/],
  ['one to prove, one to finalize', [proven(0), provable], 'relaying', 'prove', null],
  ['one that matures, one to finalize', [proven(5), proven(0)], 'relaying', 'finalize', null],
  ['one paid, one that matures', [proven(5), paid(true)], 'relaying', 'wait_for_maturity', null],
  ['one failed of three', [paid(true), paid(false), paid(true)], 'complete', 'none', /^1 of 3 failed/],
  ['all failed', [paid(false), paid(false)], 'failed', 'none', /^2 of 2 failed/],
  ['deposits', [arrived(false), arrived(true)], 'complete', 'none', /^1 of 2 failed/],
  ['a deposit that waits', [arrived(true), deposit(leg('1', 1), null)], 'relaying', 'wait_for_rollup', null],
])('transfers of one transaction: %s', (_, facts, state, next_step, error) => {
  const status = bridgeStatusOf(facts)
  expect(status).toMatchObject({ state, next_step, direction: facts[0]?.direction, transfers_total: facts.length })
  expect(status.error ?? '').toMatch(error ?? /^$/)
  expect(status.amount).toBe(`${facts.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n)}`)
  expect(status.transfers.map((one) => one.state)).toEqual(facts.map((one) => bridgeStatusOf([one]).state))
  contract.chain.bridgeStatus.output.parse(status)
})

test('what differs between transfers is left out of what describes all of them', () => {
  const known = bridgeStatusOf([paid(true), proven(0)])
  expect(known).toMatchObject({ l2_tx_hash: leg('2').hash, from_address: alice })
  expect(known).not.toHaveProperty('l1_tx_hash')
  const unknown = bridgeStatusOf([paid(true), { ...paid(true), from: null, to: null, amount: null }])
  expect(unknown).not.toHaveProperty('amount')
  expect(unknown.transfers[0]).toMatchObject({ amount: '1' })
})

test('of more than fifty transfers the completed ones are left out first', () => {
  const facts = Array.from({ length: 120 }, (_, index) =>
    index % 40 === 39 ? paid(false) : index === 100 ? provable : paid(true),
  )
  const { transfers, transfers_total } = bridgeStatusOf(facts)
  expect([transfers.length, transfers_total]).toEqual([50, 120])
  expect(transfers.filter(({ state }) => state !== 'complete').map(({ state }) => state)).toEqual([
    'failed',
    'failed',
    'relaying',
    'failed',
  ])
})

test('a watch ends with an event, also where a reorganisation has left fewer transfers', async () => {
  const rounds = [[proven(0), proven(0)], [paid(true)]]
  const bridge = {
    facts: async () => rounds.shift() ?? [],
    async *ticks() {
      yield
    },
  }
  const call = { signal: new AbortController().signal, spent: () => {}, fail: () => new Error('none') }
  const events = await watchBridge({ bridge } as never, { l1_tx_hash: leg('2').hash }, call as never)
  const states: string[] = []
  for await (const { state } of events as AsyncIterable<{ state: string }>) states.push(state)
  expect(states).toEqual(['relaying', 'complete'])
})
