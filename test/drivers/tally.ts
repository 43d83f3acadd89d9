import { bytesToHex, type Hex, hexToBytes, keccak256 } from 'viem'
import type { Head, Log, Subscriber } from './subscribers.ts'

/** The chain after the faults: its blocks and logs in order, and the blocks whose headers are inconsistent. */
export type Truth = { heads: Head[]; logs: Log[]; unproven: string[] }

/** Sums over all subscribers: events missed, received twice, and wrong, and how many streams ended. */
type Tally = { missed: number; doubled: number; wrong: number; ended: number; heads: number; logs: number }

// biome-ignore lint/suspicious/noExplicitAny: answers of every method pass through here
type Ask = (method: string, ...params: unknown[]) => Promise<any>

/**
 * Reads the chain from one block to its head, and checks each block against the next one, and its logs against its
 * header.
 */
export async function truthOf(ask: Ask, first: number): Promise<Truth> {
  const last = Number(await ask('eth_blockNumber'))
  const heads: Head[] = []
  const logs: Log[] = []
  const unproven: string[] = []
  for (let number = first; number <= last; number += 1) {
    const { hash, parentHash, logsBloom } = await ask('eth_getBlockByNumber', hex(number), false)
    const found = (await ask('eth_getLogs', { blockHash: hash })) ?? []
    const isLinked = (heads.at(-1)?.hash ?? parentHash) === parentHash
    const inOrder = found.every((log: Log, index: number) => Number(log.logIndex) === index)
    heads.push({ number: hex(number), hash, parentHash })
    if (!isLinked || !inOrder || bloomOf(found) !== logsBloom) unproven.push(hex(number))
    logs.push(...found)
  }
  return { heads, logs, unproven }
}

export function hex(number: number): string {
  return `0x${number.toString(16)}`
}

export function logKey({ blockHash, logIndex }: Log): string {
  return `${blockHash} ${logIndex}`
}

/** Compares subscribers with a chain that was never reorganised: each must have received it once, in order. */
export function tallyOf(subscribers: readonly Subscriber[], truth: Truth): Tally {
  const first = Number(truth.heads[0]?.number)
  const tally = { missed: 0, doubled: 0, wrong: 0, ended: 0, heads: 0, logs: 0 }
  const add = (seen: string[], expected: string[], toldBefore: Set<string>) => {
    const once = new Set(seen)
    tally.doubled += seen.length - once.size + [...once].filter((key) => toldBefore.has(key)).length
    tally.missed += expected.filter((key) => !once.has(key)).length
    const known = new Set(expected)
    tally.wrong += [...once].filter((key) => !known.has(key)).length
    if (tally.wrong === 0 && tally.missed === 0 && tally.doubled === 0)
      tally.wrong += expected.filter((key, index) => seen[index] !== key).length
  }
  const hashOf = ({ hash }: Head) => hash
  for (const { heads, logs, ended } of subscribers) {
    const [earlyHeads, lateHeads] = parted(heads, ({ number }) => Number(number) < first)
    const [earlyLogs, lateLogs] = parted(logs, ({ blockNumber }) => Number(blockNumber) < first)
    add(lateHeads.map(hashOf), truth.heads.map(hashOf), new Set(earlyHeads.map(hashOf)))
    add(lateLogs.map(logKey), truth.logs.map(logKey), new Set(earlyLogs.map(logKey)))
    tally.heads += lateHeads.length
    tally.logs += lateLogs.length
    if (ended !== null) tally.ended += 1
  }
  return tally
}

function parted<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}

/** True once the logs are all there, and every subscriber has received the chain's last block and last log. */
export function isComplete(subscribers: readonly Subscriber[], { heads, logs, unproven }: Truth): boolean {
  const lastLog = logs.at(-1)
  const isTold = (one: Subscriber) =>
    one.heads.at(-1)?.hash === heads.at(-1)?.hash &&
    (lastLog === undefined || one.logs.some((log) => logKey(log) === logKey(lastLog)))
  return unproven.length === 0 && subscribers.every(isTold)
}

const bloomBytes = 256

/** The bloom of a block's header for these logs. */
function bloomOf(logs: readonly { address: Hex; topics: readonly Hex[] }[]): Hex {
  const bloom = new Uint8Array(bloomBytes)
  for (const entry of new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))) {
    const hashed = Buffer.from(hexToBytes(keccak256(entry)))
    for (const place of [0, 2, 4]) {
      const bit = hashed.readUInt16BE(place) % (bloomBytes * 8)
      bloom[bloomBytes - 1 - (bit >> 3)]! |= 1 << (bit & 7)
    }
  }
  return bytesToHex(bloom)
}
