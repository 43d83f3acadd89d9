import { DomainError, invalid } from '../../../domain/core/errors.ts'
import type { NodeObject } from '../../../domain/ports/node.ts'
import { isHash } from '../../../kit/hex.ts'
import { wireQuantity, withSizes } from '../wire-objects.ts'
import { linkedBlocks } from './linked-blocks.ts'
import { checkOverrides, type Overrides } from './overrides.ts'
import type { Call, Workaround } from './workaround.ts'

type RequestedBlock = Overrides & { calls?: NodeObject[] }
type Base = { number: bigint; time: bigint; hash: string }

/** Most blocks of a result, and the seconds between them unless the caller sets their times; as in other nodes. */
const mostBlocks = 256n
const secondsApart = 12n

/**
 * Simulates blocks on top of an existing one. Anvil begins with the number and time of that one itself, fills no gaps
 * between numbers and links no blocks; and it checks nothing that `validation` requests.
 */
export const simulation: Workaround = async (call, [wanted, tag], method) => {
  const { validation, returnFullTransactions, ...rest } = wanted as NodeObject
  if (validation === true)
    throw unsupported('does not check the nonces and fees of simulated transactions; leave validation out or false')
  const given = rest.blockStateCalls as RequestedBlock[]
  for (const block of given) checkOverrides(block)
  if (given.some(({ blockOverrides }) => (numberOf(blockOverrides?.baseFeePerGas) ?? 0n) > 0n))
    throw unsupported('simulates blocks without a base fee; leave baseFeePerGas out')
  const base = await baseOf(tag, call)
  const chainId = await call('eth_chainId', [])
  const blockStateCalls = completed(given, base).map(({ calls = [], ...block }) => ({
    ...block,
    calls: calls.map((each): NodeObject => ({ chainId, ...each })),
  }))
  if (blockStateCalls.some(({ calls }) => calls.some(({ to }) => to === undefined)))
    throw unsupported('does not simulate the creation of contracts; name the contract to call in `to`')
  const completeOne = { ...rest, blockStateCalls, returnFullTransactions: true }
  const simulated = await call(method, [completeOne, wireQuantity(base.number)])
  const blocks = linkedBlocks(withSizes(simulated as NodeObject[]), base.hash)
  return returnFullTransactions === true ? blocks : blocks.map(withHashes)
}

function withHashes(block: NodeObject): NodeObject {
  return { ...block, transactions: (block.transactions as NodeObject[]).map(({ hash }) => hash) }
}

function unsupported(what: string): DomainError {
  return new DomainError('UNIMPLEMENTED', `The embedded chain ${what}.`)
}

/** The block to build on. For `pending` it is the newest mined block. */
async function baseOf(tag: unknown, call: Call): Promise<Base> {
  const found = (await (isHash(tag)
    ? call('eth_getBlockByHash', [tag, false])
    : call('eth_getBlockByNumber', [tag === 'pending' ? 'latest' : (tag ?? 'latest'), false]))) as NodeObject | null
  if (found === null) throw new DomainError('NOT_FOUND', 'header not found: there is no such block.')
  const { number, timestamp, hash } = found as { number: string; timestamp: string; hash: string }
  return { number: BigInt(number), time: BigInt(timestamp), hash }
}

/** Every requested block with its number and time, and the empty blocks between them. */
function completed(blocks: readonly RequestedBlock[], base: Base): RequestedBlock[] {
  const all: RequestedBlock[] = []
  let { number, time } = base
  const add = (block: RequestedBlock, at: bigint) => {
    number += 1n
    time = at
    const overrides = { baseFeePerGas: '0x0', ...block.blockOverrides }
    all.push({ ...block, blockOverrides: { ...overrides, number: wireQuantity(number), time: wireQuantity(time) } })
  }
  for (const [index, block] of blocks.entries()) {
    const path = `simulation.blockStateCalls.${index}.blockOverrides`
    const wanted = numberOf(block.blockOverrides?.number) ?? number + 1n
    if (wanted <= number) throw invalid(`${path}.number`, `must be above ${number}, the number of the block before it`)
    if (wanted - base.number > mostBlocks)
      throw invalid(`${path}.number`, `is more than ${mostBlocks} blocks above the one to build on`)
    while (number + 1n < wanted) add({}, time + secondsApart)
    const at = numberOf(block.blockOverrides?.time) ?? time + secondsApart
    if (at <= time) throw invalid(`${path}.time`, `must be after ${time}, the time of the block before it`)
    add(block, at)
  }
  return all
}

function numberOf(value: unknown): bigint | undefined {
  return value === undefined ? undefined : BigInt(String(value))
}
