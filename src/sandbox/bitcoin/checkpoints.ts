import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { writeWhole } from '../kit/files.ts'
import type { Coin } from './transactions.ts'

/** All that the blocks after one follow from; `hash` is that block's, in the order in which it is hashed. */
export type Mark = { height: number; hash: Buffer; rewards: readonly Coin[]; purse: Coin | null }

/** Where marks of a chain are kept. They only save work: a chain without them is mined from its first block on. */
export type Marks = { read(): readonly Mark[]; keep(mark: Mark): void }

/** A chain has so many marks: the older one lies behind every block that is still told. */
const most = 2

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const coin = z.object({ id: hash, index: z.int().min(0), value: z.string().regex(/^\d{1,20}$/) })
const mark = z.object({ height: z.int().min(1), hash, rewards: z.array(coin).max(200), purse: coin.nullable() })
const file = z.object({ start: z.int(), seconds: z.int(), marks: z.array(mark).max(most) })

/**
 * Marks in a file; those of a chain that started otherwise, or that cannot be read, are none. `failed` hears why one
 * cannot be written: it is kept in memory then.
 */
export function fileCheckpoints(
  path: string,
  { start, seconds }: { start: number; seconds: number },
  failed: (thrown: unknown) => void,
): Marks {
  let marks: readonly Mark[] = readMarks(path, start, seconds)
  return {
    read: () => marks,
    keep(made) {
      marks = [...marks.filter(({ height }) => height < made.height), made].slice(-most)
      const kept = marks.map(({ height, hash: id, rewards, purse }) => {
        return { height, hash: id.toString('hex'), rewards: rewards.map(shownCoin), purse: purse && shownCoin(purse) }
      })
      try {
        writeWhole(path, JSON.stringify({ start, seconds, marks: kept }))
      } catch (thrown) {
        failed(thrown)
      }
    },
  }
}

function readMarks(path: string, start: number, seconds: number): Mark[] {
  try {
    const read = file.parse(JSON.parse(readFileSync(path, 'utf8')))
    if (read.start !== start || read.seconds !== seconds) return []
    return read.marks.map(({ height, hash: id, rewards, purse }) => {
      return { height, hash: Buffer.from(id, 'hex'), rewards: rewards.map(coinOf), purse: purse && coinOf(purse) }
    })
  } catch {
    return []
  }
}

function shownCoin({ id, index, value }: Coin): z.input<typeof coin> {
  return { id: id.toString('hex'), index, value: String(value) }
}

function coinOf({ id, index, value }: z.output<typeof coin>): Coin {
  return { id: Buffer.from(id, 'hex'), index, value: BigInt(value) }
}
