import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Reply, rpc } from '../clients/rpc-call.ts'
import { dataFolder } from '../data-folder.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { readSpecification, type Specification } from '../node/execution-apis.ts'
import { caseFees, liveFaults, recordedFaults, type Sent, sendCases, served } from '../node/execution-apis-cases.ts'
import { type GethWorld, gethChainId, gethSettings, startGethWorld } from './geth.ts'
import { noGeth, noGethReason } from './geth-binary.ts'
import { type SameCase, sameCases } from './same-answers.ts'

if (noGeth) console.log(noGethReason)
const folder = process.env.EXECUTION_APIS_DIR
const title = folder === undefined ? 'NOT RUN, set EXECUTION_APIS_DIR to a copy of ethereum/execution-apis: ' : ''

/** The codes of the node's and of the gateway's answer, 0 for a result. */
type Codes = `${number} ${number}`

/**
 * What the gateway answers differently from go-ethereum, and why: the number of calls by what they are about, or by their
 * method. A difference that is gone must leave this list.
 */
const differences: { codes: Codes; why: string; cases: Record<string, number> }[] = [
  {
    codes: '-32000 -32001',
    why: 'what is not there has a code of its own, as in EIP-1474',
    cases: {
      'logs of an unknown hash': 1,
      'state beyond the head': 5,
      'state at an unknown hash': 5,
      'run at no block': 6,
      'simulate beyond the head': 1,
      'trace of what is not': 7,
      'fees beyond the head': 1,
      // A hash in capitals.
      'wrong hash': 1,
    },
  },
  {
    codes: '-32000 -32602',
    why: 'inputs are checked before the node is asked, and are invalid parameters',
    cases: {
      'run that contradicts itself': 9,
      'overrides that contradict each other': 1,
      'trace by a custom tracer': 1,
      'wrong percentiles': 3,
      'wrong number': 2,
      'wrong filter': 1,
      'what is sent': 1,
    },
  },
  {
    codes: '0 -32602',
    why: 'unknown fields and slots without 0x are refused, where go-ethereum ignores or guesses; so are two inputs',
    cases: { 'wrong message': 2, 'wrong filter': 1, 'wrong slot': 6, 'run with data and another input': 1 },
  },
  {
    codes: '3 -32602',
    why: 'of data and another input go-ethereum runs the input, which reverts',
    cases: { 'run with data and another input': 2 },
  },
  {
    codes: '-32000 0',
    why: 'a block that is null is the latest, as one that is left out',
    cases: { 'state at no block': 5 },
  },
  {
    codes: '-32602 0',
    why: 'what may be left out in the contract must be there in go-ethereum',
    cases: { eth_feeHistory: 1, 'too few parameters': 3 },
  },
  { codes: '-32602 -32005', why: 'a range has at most 10,000 blocks', cases: { 'logs of many blocks': 1 } },
  {
    codes: '-32000 -32003',
    why: 'a refused transaction has a code of its own, as in EIP-1474',
    cases: { 'what is sent': 2 },
  },
  {
    codes: '-32000 -32601',
    why: "no caller may use the node's keys or set its head",
    cases: { 'what is sent': 1, debug_setHead: 1 },
  },
  {
    codes: '-32601 -32004',
    why: 'methods of the contract that this chain lacks, and one that needs a WebSocket',
    cases: {
      rollup_syncStatus: 1,
      rollup_rollupConfig: 1,
      rollup_outputAtBlock: 1,
      admin_startSequencer: 1,
      admin_stopSequencer: 1,
      eth_subscribe: 1,
    },
  },
  { codes: '0 0', why: "no caller may use the node's keys", cases: { eth_accounts: 1 } },
  {
    codes: '0 0',
    why: 'filters are those of the gateway, and so is its name',
    cases: { eth_newBlockFilter: 1, eth_newPendingTransactionFilter: 1, eth_newFilter: 1, web3_clientVersion: 1 },
  },
  {
    codes: '0 0',
    why: 'the time of the block of a waiting transaction is left out where it is null',
    cases: { transaction: 1, txpool_content: 1, txpool_contentFrom: 1 },
  },
  { codes: '0 0', why: 'of no blocks there are empty lists of fees, not null', cases: { 'fees of no block': 1 } },
]

/** How many calls are compared at once, and how often one is repeated while the chain moves. */
const lanes = 6
const mostTries = 6

describe.skipIf(noGeth)('a gateway in front of go-ethereum', () => {
  const opened = new AsyncDisposableStack()
  let geth: GethWorld
  let gateway: Gateway
  let sent: Sent
  let specification: Specification
  beforeAll(async () => {
    const starting = startGethWorld()
    // While it starts, there is time for it.
    if (folder !== undefined) specification = readSpecification(folder)
    geth = opened.use(await starting)
    const { path: dir } = opened.use(dataFolder())
    gateway = opened.use(await startGateway(dir, gethSettings(geth, { dir, url: geth.url })))
    const pay = (to: Hex) => geth.send({ to, value: 10n ** 18n })
    sent = await sendCases({ url: gateway.urls.rpc, chainId: gethChainId, pay })
  })
  afterAll(async () => await opened.disposeAsync())

  test.skipIf(folder === undefined)(`${title}results and recorded requests match the specification`, async () => {
    const { rpc: url } = gateway.urls
    const [live, recorded] = await Promise.all([
      liveFaults(url, specification, sent),
      recordedFaults(url, specification),
    ])
    console.info(`execution-apis: ${live.asked} live results, ${recorded.asked} recorded requests`)
    expect([live.faults, live.untested, recorded.faults]).toEqual([[], [], []])
  })

  /** What both answer to a call, equal where they are once: the chain moves between two calls. */
  async function answersTo({ method, params }: SameCase, tries = mostTries): Promise<[node: Reply, facade: Reply]> {
    const ask = (url: string) => rpc(url, method, ...params)
    const [node, facade] = await Promise.all([ask(geth.url), ask(gateway.urls.rpc)])
    // An error does not depend on the moment.
    if (tries === 1 || node.error || facade.error || isDeepStrictEqual(node.result, facade.result))
      return [node, facade]
    await sleep(150)
    return await answersTo({ what: '', method, params }, tries - 1)
  }

  test('every call has the answer that go-ethereum gives', async () => {
    const reverted = await sent.send({ ...caseFees, data: '0x60006000fd' })
    await sent.receipt(reverted)
    // It pays less than any block asks.
    const waiting = await sent.send({ ...caseFees, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, to: sent.account })
    const cases = sameCases({ sent, rich: geth.rich, reverted, waiting })
    const called = new Set(['eth_sendRawTransaction', ...cases.map(({ method }) => method)])
    expect([...served].filter((method) => !called.has(method))).toEqual([])
    const rest = cases.values()
    const found: Record<string, Record<string, number>> = {}
    const details: { kind: string; what: string; text: string }[] = []
    const compareAll = async () => {
      for (const one of rest) {
        const [node, facade] = await answersTo(one)
        const kind = differenceOf(node, facade)
        if (kind === null) continue
        const text = [one.method, one.params, node.error ?? node.result, facade.error ?? facade.result]
        details.push({ kind, what: one.what, text: text.map((part) => shortened(JSON.stringify(part))).join(' ') })
        found[kind] = { ...found[kind], [one.what]: (found[kind]?.[one.what] ?? 0) + 1 }
      }
    }
    await Promise.all(Array.from({ length: lanes }, compareAll))
    console.info(`${cases.length} calls, ${details.length} answered differently`)
    const expected: typeof found = {}
    for (const { codes, cases } of differences) expected[codes] = { ...expected[codes], ...cases }
    const unlisted = details.filter(({ kind, what }) => expected[kind]?.[what] !== found[kind]?.[what])
    expect(found, unlisted.map(({ text }) => text).join('\n')).toEqual(expected)
  })
})

/** The codes of both answers, 0 for a result; null where they are equal. */
function differenceOf(node: Reply, facade: Reply): Codes | null {
  const [left, right] = [node.error?.code ?? 0, facade.error?.code ?? 0]
  const isSame = left === 0 && right === 0 ? isDeepStrictEqual(node.result, facade.result) : left === right
  return isSame ? null : `${left} ${right}`
}

const shortened = (text = 'nothing') => (text.length > 300 ? `${text.slice(0, 300)}...` : text)
