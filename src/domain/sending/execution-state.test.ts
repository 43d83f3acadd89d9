import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  awaitingStates,
  confirmingStates,
  finalStates,
  type State,
  statesBeforeNonce,
  waitingStates,
} from '../ports/moves.ts'
import {
  canMove,
  isBeforeNonce,
  isDecided,
  isFinal,
  isMined,
  moveOf,
  movesFrom,
  pathTo,
  states,
} from './execution-state.ts'

/** Every legal move, listed a second time: all others are illegal. */
const legal = [
  ...['requested awaiting_confirmation', 'awaiting_confirmation requested', 'awaiting_confirmation rejected'],
  ...['requested simulated', 'requested rejected', 'simulated reserved', 'simulated rejected'],
  ...['reserved signed', 'reserved failed', 'signed broadcast', 'signed replaced', 'signed failed'],
  ...['broadcast included', 'broadcast replaced', 'broadcast failed'],
  ...['replaced included', 'replaced replaced', 'replaced failed'],
  ...['included safe', 'included reorganised', 'safe finalized', 'safe reorganised'],
  ...['reorganised broadcast', 'reorganised included', 'reorganised replaced', 'reorganised failed'],
]
const pairs = states.flatMap((from) => states.map((to) => ({ from, to, name: `${from} ${to}` })))

describe('the states of a trade', () => {
  test('are these, and no others', () => {
    expect(states).toHaveLength(13)
    expect(new Set(legal).size).toBe(legal.length)
    expect(legal.filter((name) => !pairs.some((pair) => pair.name === name))).toEqual([])
  })

  test('are each in one group, and the final ones lead nowhere', () => {
    const groups = [statesBeforeNonce, awaitingStates, waitingStates, confirmingStates, finalStates]
    expect(groups.flat().toSorted()).toEqual(states.toSorted())
    expect(states.filter((state) => movesFrom(state).length === 0)).toEqual(states.filter(isFinal))
  })

  test.each(pairs.filter(({ name }) => legal.includes(name)))('$from may become $to', ({ from, to }) => {
    expect(moveOf(from, to)).toEqual({ from, to })
    expect(pathTo(from, to)).toEqual([to])
  })

  test.each(pairs.filter(({ name }) => !legal.includes(name)))(
    '$from never becomes $to in one move',
    ({ from, to }) => {
      expect(canMove(from, to)).toBe(false)
      expect(() => moveOf(from, to)).toThrow(`A trade that is ${from} cannot become ${to}.`)
    },
  )

  const walks = fc.array(fc.nat(11), { maxLength: 40 }).map((choices) => {
    const walk: State[] = ['requested']
    for (const choice of choices) {
      const next = movesFrom(walk.at(-1)!)
      if (next.length > 0) walk.push(next[choice % next.length]!)
    }
    return walk
  })

  test('however a trade walks, it keeps its nonce until nothing of it can be mined', () => {
    fc.assert(
      fc.property(walks, (walk) => {
        const reserved = walk.indexOf('reserved')
        const after = reserved < 0 ? [] : walk.slice(reserved)
        expect(after.some((state) => isBeforeNonce(state) || state === 'rejected')).toBe(false)
        // Bytes are stored before they are broadcast, and only broadcast bytes are mined.
        const left = walk.findIndex((state) => state === 'broadcast' || state === 'replaced' || isMined(state))
        if (left >= 0) expect(walk.slice(0, left)).toContain('signed')
        // A mined transaction never fails unless its block is removed first.
        for (const [index, state] of walk.entries())
          if (state === 'failed') expect(isMined(walk[index - 1]!)).toBe(false)
        expect(walk.slice(0, -1).some(isFinal)).toBe(false)
      }),
      { numRuns: 2_000 },
    )
  })

  test('a way that is found is legal from end to end, and the end of every trade is within reach', () => {
    fc.assert(
      fc.property(fc.constantFrom(...states), fc.constantFrom(...states), (from, to) => {
        const way = pathTo(from, to)
        for (const [index, state] of (way ?? []).entries())
          expect(canMove(index === 0 ? from : way![index - 1]!, state)).toBe(true)
        if (!isFinal(from)) expect(states.some((end) => isFinal(end) && pathTo(from, end) !== null)).toBe(true)
      }),
    )
    expect(pathTo('requested', 'finalized')).toEqual([
      ...['simulated', 'reserved', 'signed', 'broadcast', 'included', 'safe', 'finalized'],
    ])
    expect(pathTo('included', 'broadcast')).toEqual(['reorganised', 'broadcast'])
    expect(pathTo('reserved', 'simulated')).toBeNull()
  })

  test('ends where nothing can change any more; a block decides before that', () => {
    expect(states.filter(isFinal)).toEqual(['finalized', 'failed', 'rejected'])
    expect(states.filter(isDecided)).toEqual(['included', 'safe', 'finalized', 'failed', 'rejected'])
  })
})
