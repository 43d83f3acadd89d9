/** The thread in which a snapshot is read: it may have tens of megabytes, and the gateway answers meanwhile. */
import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import type { EngineState, Extent } from './load-state.ts'

/** How far back a contract may ask for a block's hash. */
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

/** The dump without the blocks that only slow an engine. Of the others the headers are enough: they give the hashes. */
function withoutHistory(whole: Dump): Dump {
  const from = whole.best_block_number - hashesBack
  const blocks = whole.blocks
    .filter(({ header }) => Number(header.number) >= from)
    .map((block) => ({ ...block, transactions: [] }))
  return { ...whole, blocks, transactions: [] }
}
