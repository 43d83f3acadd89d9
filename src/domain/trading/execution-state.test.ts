import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canMove, isFinal, sourcesOf, stepOf, type TradeState } from './execution-state.ts'

const stored = ['requested', 'simulated', 'reserved', 'signed', 'broadcast', 'included', 'failed'] as const
const states: readonly TradeState[] = [...stored, 'rejected']

describe('the states of a trade', () => {
  test('the straight way through is legal', () => {
    const way = ['requested', 'simulated', 'reserved', 'signed', 'broadcast', 'included'] as const
    for (const [index, from] of way.slice(0, -1).entries()) expect(canMove(from, way[index + 1]!)).toBe(true)
  })

  test.each([
    ['included', 'failed'],
    ['failed', 'included'],
    ['failed', 'reserved'],
    ['requested', 'signed'],
    ['requested', 'reserved'],
    ['simulated', 'broadcast'],
    ['reserved', 'rejected'],
    ['broadcast', 'signed'],
    ['rejected', 'requested'],
  ] as const)('%s never becomes %s', (from, to) => {
    expect(canMove(from, to)).toBe(false)
  })

  test('no walk over legal moves goes back a step, and each ends', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(7), { maxLength: 20 }), (choices) => {
        let state: TradeState = 'requested'
        for (const choice of choices) {
          const next = states.filter((to) => canMove(state, to))
          if (next.length === 0) break
          const chosen: TradeState = next[choice % next.length]!
          if (chosen !== 'rejected' && state !== 'rejected') expect(stepOf(chosen)).toBeGreaterThan(stepOf(state))
          state = chosen
        }
        return true
      }),
    )
    expect(states.filter(isFinal)).toEqual(['included', 'failed', 'rejected'])
  })

  test('once a nonce is reserved a trade can only be mined or fail', () => {
    expect(sourcesOf('reserved')).toEqual(['simulated'])
    expect(sourcesOf('failed')).toEqual(['reserved', 'signed', 'broadcast'])
    expect(sourcesOf('included')).toEqual(['signed', 'broadcast'])
  })
})
