import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { writeWhole } from '../kit/files.ts'
import type { Coin } from './transactions.ts'

/**
 * Everything that later blocks depend on. `hash` is that of the block in internal byte order; `rewards` are not spent
 * yet, oldest first; `change` is that of the last payment, which the next one spends.
 */
export type Checkpoint = { height: number; hash: Buffer; rewards: readonly Coin[]; change: Coin | null }

/** Stored checkpoints of a chain. They only save work: without them a chain is mined from its first block on. */
export type Checkpoints = { read(): readonly Checkpoint[]; add(checkpoint: Checkpoint): void }

/** With two, the older one is always before all retained blocks. */
const maxCheckpoints = 2

const hash = z.codec(z.string().regex(/^[0-9a-f]{64}$/), z.instanceof(Buffer), {
  decode: (text) => Buffer.from(text, 'hex'),
  encode: (bytes) => bytes.toString('hex'),
})
const value = z.codec(z.string().regex(/^\d{1,20}$/), z.bigint(), { decode: BigInt, encode: String })
const coin = z.object({ id: hash, value })
const checkpoint = z.object({ height: z.int().min(1), hash, rewards: z.array(coin).max(200), change: coin.nullable() })
const file = z.object({ start: z.int(), seconds: z.int(), marks: z.array(checkpoint).max(maxCheckpoints) })

/**
 * Checkpoints in a file. Unreadable ones, and those of a chain with another start or interval, are ignored. `failed` is
 * called where one cannot be written; it stays in memory then.
 */
export function fileCheckpoints(
  path: string,
  { start, seconds }: { start: number; seconds: number },
  failed: (thrown: unknown) => void,
): Checkpoints {
  let checkpoints: readonly Checkpoint[] = readCheckpoints(path, start, seconds)
  return {
    read: () => checkpoints,
    add(added) {
      const marks = [...checkpoints.filter(({ height }) => height < added.height), added].slice(-maxCheckpoints)
      checkpoints = marks
      try {
        writeWhole(path, JSON.stringify(file.encode({ start, seconds, marks } as z.output<typeof file>)))
      } catch (thrown) {
        failed(thrown)
      }
    },
  }
}

function readCheckpoints(path: string, start: number, seconds: number): Checkpoint[] {
  try {
    const text = readFileSync(path, 'utf8').replaceAll('"purse":', '"change":') // its name up to version 0.2.0
    const stored = file.parse(JSON.parse(text))
    return stored.start === start && stored.seconds === seconds ? stored.marks : []
  } catch {
    return []
  }
}
