import { DomainError, invalid } from '../../../domain/core/errors.ts'
import type { NodeObject } from '../../../domain/ports/node.ts'
import { mendedSimulation, quantityOf } from '../mended-objects.ts'
import { type Assumptions, assumable } from './assumptions.ts'
import { boundedSimulation } from './bounded-simulation.ts'
import { linkedBlocks } from './linked-blocks.ts'
import type { Mend } from './mend.ts'

type AskedBlock = Assumptions & { calls?: NodeObject[] }
type Base = { number: bigint; time: bigint; hash: string }

/** Most blocks of an answer, and how many seconds one comes after the other unless the caller says when; as in other nodes. */
const mostBlocks = 256n
const secondsApart = 12n

/**
 * Tries out blocks on top of one. The engine begins with the number and time of that one itself, fills no gaps between
 * numbers, and links the blocks to nothing; and it checks nothing of what `validation` asks for.
 */
export const simulation: Mend = async (ask, [wanted, tag], method) => {
  const { validation, returnFullTransactions, ...rest } = wanted as NodeObject
  if (validation === true)
    throw lacking('does not check the nonces and fees of what is tried out; leave validation out or false')
  const given = rest.blockStateCalls as AskedBlock[]
  for (const block of given) assumable(block)
  if (given.some(({ blockOverrides }) => (asked(blockOverrides?.baseFeePerGas) ?? 0n) > 0n))
    throw lacking('tries out blocks without a base fee; leave baseFeePerGas out')
  const base = await baseOf(tag, ask)
  const chainId = await ask('eth_chainId', [])
  const blockStateCalls = laidOut(given, base).map(({ calls = [], ...block }) => ({
    ...block,
    calls: calls.map((call): NodeObject => ({ chainId, ...call })),
  }))
  if (blockStateCalls.some(({ calls }) => calls.some(({ to }) => to === undefined)))
    throw lacking('does not try out the creation of contracts; name the contract to call in `to`')
  const bounded = boundedSimulation({ ...rest, blockStateCalls, returnFullTransactions: true })
  const simulated = await ask(method, [bounded, quantityOf(base.number)])
  const blocks = linkedBlocks(mendedSimulation(simulated as NodeObject[]), base.hash)
  return returnFullTransactions === true ? blocks : blocks.map(withHashes)
}

function withHashes(block: NodeObject): NodeObject {
  return { ...block, transactions: (block.transactions as NodeObject[]).map(({ hash }) => hash) }
}

function lacking(what: string): DomainError {
  return new DomainError('UNIMPLEMENTED', `The embedded chain ${what}.`)
}

/** The block to build on. What waits is in no block yet: on top of it means on top of the newest. */
async function baseOf(tag: unknown, ask: Parameters<Mend>[0]): Promise<Base> {
  const { blockHash } = (typeof tag === 'object' ? (tag ?? {}) : {}) as { blockHash?: unknown }
  const found = (await (blockHash === undefined
    ? ask('eth_getBlockByNumber', [tag === 'pending' ? 'latest' : (tag ?? 'latest'), false])
    : ask('eth_getBlockByHash', [blockHash, false]))) as NodeObject | null
  if (found === null) throw new DomainError('NOT_FOUND', 'header not found: there is no such block.')
  const { number, timestamp, hash } = found as { number: string; timestamp: string; hash: string }
  return { number: BigInt(number), time: BigInt(timestamp), hash }
}

/** Every block with its number and time, and those that nobody asked for in between. */
function laidOut(blocks: readonly AskedBlock[], base: Base): AskedBlock[] {
  const laid: AskedBlock[] = []
  let { number, time } = base
  const put = (block: AskedBlock, at: bigint) => {
    number += 1n
    time = at
    const overrides = { baseFeePerGas: '0x0', ...block.blockOverrides }
    laid.push({ ...block, blockOverrides: { ...overrides, number: quantityOf(number), time: quantityOf(time) } })
  }
  for (const [index, block] of blocks.entries()) {
    const path = `simulation.blockStateCalls.${index}.blockOverrides`
    const wanted = asked(block.blockOverrides?.number) ?? number + 1n
    if (wanted <= number) throw invalid(`${path}.number`, `must be above ${number}, the number of the block before it`)
    if (wanted - base.number > mostBlocks)
      throw invalid(`${path}.number`, `is more than ${mostBlocks} blocks above the one to build on`)
    while (number + 1n < wanted) put({}, time + secondsApart)
    const at = asked(block.blockOverrides?.time) ?? time + secondsApart
    if (at <= time) throw invalid(`${path}.time`, `must be after ${time}, the time of the block before it`)
    put(block, at)
  }
  return laid
}

function asked(value: unknown): bigint | undefined {
  return value === undefined ? undefined : BigInt(String(value))
}
