/** Reads a snapshot in a thread of its own: it may have tens of megabytes, and the gateway must respond meanwhile. */
import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import type { EngineState, Extent } from './load-state.ts'

/** How many blocks back a contract may read the hash of a block. */
const hashesBack = 256

type Block = { header: { number: string }; transactions: unknown[] }
type Account = { storage: Record<string, unknown> }
type Dump = {
  best_block_number: number
  blocks: Block[]
  transactions: unknown[]
  accounts: Record<string, Account>
}

const { file, extent } = workerData as { file: string; extent: Extent }
const text = gunzipSync(readFileSync(file)).toString()
const dump = JSON.parse(text) as Dump
const sizes = Object.values(dump.accounts).map(({ storage }) => Object.keys(storage).length)
const state: EngineState = {
  hex: extent === 'size' ? '0x' : inHex(extent === 'whole' ? text : JSON.stringify(withoutHistory(dump))),
  accounts: sizes.length,
  slots: sizes.reduce((sum, size) => sum + size, 0),
}
parentPort?.postMessage(state)

function inHex(content: string): string {
  return `0x${Buffer.from(content).toString('hex')}`
}

/** The dump without old blocks, which only slow an engine down. Of recent blocks the headers suffice for the hashes. */
function withoutHistory(whole: Dump): Dump {
  const from = whole.best_block_number - hashesBack
  const blocks = whole.blocks
    .filter(({ header }) => Number(header.number) >= from)
    .map((block) => ({ ...block, transactions: [] }))
  return { ...whole, blocks, transactions: [] }
}
