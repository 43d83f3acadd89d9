import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { type Hex, keccak256, numberToHex, zeroHash } from 'viem'
import { expect, test } from 'vitest'
import { temporaryDir } from '../fixtures/testing.ts'
import { type LedgerBlock, openLedger } from './ledger.ts'

const hash = (kind: string, number: number): Hex => keccak256(numberToHex(number)).replace(/^0x../, `0x${kind}`) as Hex
const nothing = { deposits: [], withdrawals: [], proof: null }

/** Blocks of a chain, which may have a new origin or a withdrawal that changes the message passer. */
function chainOf(steps: readonly { origin: number; passes: boolean }[]): LedgerBlock[] {
  const blocks: LedgerBlock[] = []
  for (const [number, { origin, passes }] of steps.entries()) {
    const before = blocks.at(-1)
    const originNumber = (before?.origin.number ?? 0) + origin
    blocks.push({
      ...{
        number,
        hash: hash('aa', number),
        parentHash: before?.hash ?? zeroHash,
        timestamp: 1_700_000_000 + 2 * number,
      },
      stateRoot: hash('bb', number),
      passerRoot: before && !passes ? before.passerRoot : hash('cc', number),
      origin: { number: originNumber, hash: hash('dd', originNumber) },
      sequence: before && origin === 0 ? before.sequence + 1 : 0,
    })
  }
  return blocks
}

const steps = fc.array(fc.record({ origin: fc.nat(2), passes: fc.boolean() }), { minLength: 1, maxLength: 30 })

test('returns every block as it was added, also after a restart, and finds the last one of an origin', async () => {
  await using dir = await temporaryDir()
  let run = 0
  fc.assert(
    fc.property(steps, (taken) => {
      run += 1
      const file = join(dir.path, `${run}.sqlite`)
      const blocks = chainOf(taken)
      const first = openLedger(file)
      for (const block of blocks) first.add(block, nothing)
      first.close()
      const second = openLedger(file)
      expect(second.last()).toEqual(blocks.at(-1))
      expect(blocks.map(({ number }) => second.block(number))).toEqual(blocks)
      expect(second.block(blocks.length)).toBeUndefined()
      for (let origin = -1; origin < 62; origin += 1)
        expect(second.lastBuiltOn(origin)).toEqual(blocks.findLast((block) => block.origin.number <= origin))
      second.close()
    }),
    { numRuns: 40 },
  )
})

test('removes the blocks after one that is replaced', async () => {
  await using dir = await temporaryDir()
  const ledger = openLedger(join(dir.path, 'ledger.sqlite'))
  for (const block of chainOf(Array.from({ length: 6 }, () => ({ origin: 1, passes: true }))))
    ledger.add(block, nothing)
  const [, , , before, again] = chainOf(
    Array.from({ length: 5 }, (_, at) => ({ origin: at < 4 ? 1 : 0, passes: at < 4 })),
  )
  if (!before || !again) throw new Error('no blocks')
  ledger.add(again, nothing)
  expect(ledger.last()).toEqual(again)
  expect(ledger.block(4)).toEqual({ ...again, origin: before.origin, sequence: 1 })
  expect(ledger.block(5)).toBeUndefined()
  ledger.close()
})

test('converts a file in the older text form', async () => {
  await using dir = await temporaryDir()
  const file = join(dir.path, 'ledger.sqlite')
  const blocks = chainOf([0, 0, 1, 0, 2, 0].map((origin, at) => ({ origin, passes: at === 3 })))
  const old = new DatabaseSync(file)
  old.exec(`CREATE TABLE block (
    number INTEGER PRIMARY KEY, hash TEXT NOT NULL, parentHash TEXT NOT NULL, timestamp INTEGER NOT NULL,
    stateRoot TEXT NOT NULL, passerRoot TEXT NOT NULL,
    originNumber INTEGER NOT NULL, originHash TEXT NOT NULL, sequence INTEGER NOT NULL) STRICT;
    CREATE INDEX block_origin ON block (originNumber, number)`)
  const insert = old.prepare('INSERT INTO block VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  for (const { origin, ...b } of blocks)
    insert.run(
      ...[
        b.number,
        b.hash,
        b.parentHash,
        b.timestamp,
        b.stateRoot,
        b.passerRoot,
        origin.number,
        origin.hash,
        b.sequence,
      ],
    )
  old.close()
  for (const _ of ['once', 'again']) {
    const ledger = openLedger(file)
    expect(blocks.map(({ number }) => ledger.block(number))).toEqual(blocks)
    ledger.close()
  }
})

test('a block costs about a hundred bytes, so that a day of them is some five megabytes', async () => {
  await using dir = await temporaryDir()
  const sizeOf = (count: number) => {
    const file = join(dir.path, `${count}.sqlite`)
    const ledger = openLedger(file)
    const taken = Array.from({ length: count }, (_, at) => ({ origin: at % 2, passes: at % 100 === 0 }))
    for (const block of chainOf(taken)) ledger.add(block, nothing)
    ledger.close()
    return statSync(file).size
  }
  expect((sizeOf(1_500) - sizeOf(1)) / 1_500).toBeLessThan(115)
})
