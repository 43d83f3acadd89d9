import { expect, test } from 'vitest'
import { DomainError, type Fail } from '../core/errors.ts'
import type { Arrival, Chain, Head, Route, RouteQuote } from '../ports/chains.ts'
import { free } from '../values/routing.ts'
import { deliver, taxSentence } from './deliver.ts'

const fail: Fail<'FAILED_PRECONDITION'> = (code, message) => new DomainError(code, message)
const block = {} as Head
const quoteOf = (venue: Route['venue'], amountOut: bigint): RouteQuote => ({
  route: { venue, tokens: [], feePips: [], pools: [] },
  amountOut,
  spotOut: amountOut,
  gas: 0n,
})
const newer = quoteOf('uniswap_v3', 10_000n)
const older = quoteOf('uniswap_v2', 9_000n)
const blocked: Arrival = { ok: false, reason: 'selling is off', advice: 'Do not trade it.' }
const brings = (amountOut: bigint): Arrival => ({ ok: true, amountOut })

/** The delivery chosen from the quotes, with the given simulated arrival on each venue. */
async function delivered(quotes: readonly RouteQuote[], arrivals: Partial<Record<Route['venue'], Arrival | null>>) {
  const chain = {
    arrivalOf: async ({ route: { venue } }: RouteQuote) => arrivals[venue],
    estimateSwapGas: async ({ gas }: RouteQuote) => gas + 1n,
  } as unknown as Chain
  return await deliver(chain, { quotes, block, amountIn: 1n, gasPrice: free }, fail)
}

test('The whole output of the pools arrives where no token takes a transfer tax', async () => {
  const whole = { best: newer, arrives: 10_000n, taxBps: 0, gas: 1n }
  expect(await delivered([newer, older], { uniswap_v3: brings(10_000n) })).toEqual(whole)
})

test('A transfer tax is deducted and shown, rounded up', async () => {
  expect(await delivered([older], { uniswap_v2: brings(6_750n) })).toMatchObject({ arrives: 6_750n, taxBps: 2_500 })
  expect(await delivered([older], { uniswap_v2: brings(8_999n) })).toMatchObject({ arrives: 8_999n, taxBps: 2 })
})

test('A taxed token is traded only where the venue enforces the minimum on what arrives', async () => {
  const taxed = { uniswap_v3: brings(9_900n), uniswap_v2: brings(8_900n) }
  expect(await delivered([newer, older], taxed)).toMatchObject({ best: older, arrives: 8_900n })
  await expect(delivered([newer], taxed)).rejects.toMatchObject({
    code: 'FAILED_PRECONDITION',
    message: expect.stringMatching(/keeps 100 basis points.*uniswap_v3 cannot enforce/),
  })
})

test('A quote is refused with the reason where the swap fails on every venue', async () => {
  const nothing = { uniswap_v3: blocked, uniswap_v2: blocked }
  await expect(delivered([newer, older], nothing)).rejects.toThrow(/would fail: selling is off. Do not trade it/)
  expect(await delivered([newer, older], { ...nothing, uniswap_v2: brings(9_000n) })).toMatchObject({ best: older })
  expect(await delivered([], nothing)).toBeNull()
})

test('The tax is null where the node cannot simulate the swap', async () => {
  expect(await delivered([newer], { uniswap_v3: null })).toEqual({
    best: newer,
    arrives: 10_000n,
    taxBps: null,
    gas: 1n,
  })
})

test('A sentence names the tax where there is one', () => {
  expect(taxSentence(2_500)).toContain('keep 2500 bps')
  for (const none of [0, undefined]) expect(taxSentence(none)).toBe('')
})
