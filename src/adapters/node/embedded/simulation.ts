import { type Hex, keccak256, toRlp } from 'viem'
import { type SimulationError, simulationErrors } from '../../../contract/shared/errors.ts'
import { DomainError, invalid, withFacts } from '../../../domain/core/errors.ts'
import type { NodeObject } from '../../../domain/ports/node.ts'
import { isHash } from '../../../kit/hex.ts'
import { rlpInteger } from '../../../opstack/rlp-integer.ts'
import { wireQuantity, withSizes } from '../wire-objects.ts'
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
  const simulated = (await call(method, [completeOne, wireQuantity(base.number)])) as NodeObject[]
  for (const [index, block] of simulated.entries()) demandRoom(blockStateCalls[index]?.calls ?? [], block)
  const blocks = linkedBlocks(withSizes(simulated), base.hash)
  return returnFullTransactions === true ? blocks : blocks.map(withHashes)
}

function withHashes(block: NodeObject): NodeObject {
  return { ...block, transactions: (block.transactions as NodeObject[]).map(({ hash }) => hash) }
}

function refusedAt(path: string, message: string, simulation: SimulationError): DomainError {
  return withFacts(invalid(path, message), { simulation })
}

/** Anvil does not count what the calls of a block may use together. One that names no gas takes its share. */
function demandRoom(given: readonly NodeObject[], { gasLimit, calls }: NodeObject): void {
  let used = 0n
  for (const [index, ran] of (calls as NodeObject[]).entries()) {
    const wanted = numberOf(given[index]?.gas)
    if (wanted !== undefined && used + wanted > BigInt(String(gasLimit))) {
      const { title } = simulationErrors.gas_limit_reached
      const figures = `call ${index} may use ${wanted}, after ${used} of ${BigInt(String(gasLimit))}`
      throw new DomainError('FAILED_PRECONDITION', `${title}: ${figures}`, {
        metadata: { simulation: 'gas_limit_reached' },
      })
    }
    used += BigInt(String(ran.gasUsed))
  }
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
    if (wanted <= number)
      throw refusedAt(
        `${path}.number`,
        `must be above ${number}, the number of the block before it`,
        'number_not_rising',
      )
    if (wanted - base.number > mostBlocks)
      throw refusedAt(
        `${path}.number`,
        `is more than ${mostBlocks} blocks above the one to build on`,
        'too_many_blocks',
      )
    while (number + 1n < wanted) add({}, time + secondsApart)
    const at = numberOf(block.blockOverrides?.time) ?? time + secondsApart
    if (at <= time)
      throw refusedAt(`${path}.time`, `must be after ${time}, the time of the block before it`, 'time_not_rising')
    add(block, at)
  }
  return all
}

function numberOf(value: unknown): bigint | undefined {
  return value === undefined ? undefined : BigInt(String(value))
}

const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const noRoot = `0x${'00'.repeat(32)}`

/**
 * Links simulated blocks, given with whole transactions, to the block they build on and to each other, and gives their
 * transactions and logs the block's hash and their indexes.
 */
function linkedBlocks(blocks: readonly NodeObject[], baseHash: string): NodeObject[] {
  const linked: NodeObject[] = []
  let parentHash = baseHash
  for (const block of blocks) {
    const header = { ...block, parentHash, receiptsRoot: receiptsRootOf(block) }
    parentHash = headerHash(header)
    linked.push({ ...header, hash: parentHash, ...contents(header, parentHash) })
  }
  return linked
}

/** Anvil computes no root of the receipts, and repeats that of the transactions there. */
function receiptsRootOf({ transactionsRoot }: NodeObject): string {
  return transactionsRoot === emptyRoot ? emptyRoot : noRoot
}

/** The hash of the header as it is returned: without the fields added after the London upgrade. */
function headerHash(block: NodeObject): Hex {
  const bytes = (name: string) => block[name] as Hex
  const integer = (name: string) => rlpInteger(bytes(name))
  return keccak256(
    toRlp([
      ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'logsBloom'].map(bytes),
      ...['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'].map(integer),
      ...['extraData', 'mixHash', 'nonce'].map(bytes),
      integer('baseFeePerGas'),
    ]),
  )
}

/** Anvil's logs name other transactions than the block has, and the whole transactions lack their positions. */
function contents({ number: blockNumber, gasLimit, transactions, calls }: NodeObject, blockHash: string): NodeObject {
  const all = transactions as NodeObject[]
  let logs = 0
  return {
    transactions: all.map((each, index) => ({
      ...each,
      blockHash,
      blockNumber,
      transactionIndex: wireQuantity(index),
    })),
    calls: (calls as NodeObject[]).map((call, index) => {
      const { hash: transactionHash, gas } = all[index] ?? {}
      // A failed call reverted its transfers, but anvil still returns their logs.
      if (call.error !== undefined) return { ...call, error: failureOf(call, gas === '0x0' ? gasLimit : gas), logs: [] }
      const own = (call.logs ?? []) as NodeObject[]
      return {
        ...call,
        logs: own.map((log) => ({ ...log, blockHash, transactionHash, logIndex: wireQuantity(logs++) })),
      }
    }),
  }
}

/**
 * Data that a failed call returns is the reason of its revert, which may be empty; any other failure uses up all of its
 * gas. The codes are those of other nodes.
 */
function failureOf({ returnData, gasUsed }: NodeObject, gas: unknown): NodeObject {
  if (returnData === '0x' && gasUsed === gas) return { code: -32015, message: 'vm execution error' }
  return { code: 3, message: 'execution reverted', data: returnData }
}
