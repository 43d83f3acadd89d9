import { encodeFunctionData, type Hex, keccak256, numberToHex, parseAbi } from 'viem'
import { addresses } from '../../src/sandbox/deploy/addresses.ts'
import { type Asked, liveRequests, type Sent } from '../node/execution-apis-cases.ts'

/** Calls to a node and to a gateway in front of it, which must have equal answers: with real data, at every kind of block, and wrong ones. */

/** A call, and what it is about. */
export type SameCase = { what: string; method: string; params: unknown[] }

const erc20 = parseAbi(['function balanceOf(address) view returns (uint256)', 'function transfer(address, uint256)'])
const nobody: Hex = `0x${'5a'.repeat(20)}`
const noHash = keccak256('0x5a')
const beyond = '0x2000'

/** Facts of the chain that the calls name. */
export type Facts = {
  sent: Sent
  /** The account that owns nearly everything. */
  rich: Hex
  /** The hash of a transaction that reverted. */
  reverted: Hex
  /** A transaction that waits though its nonce is the next one. */
  waiting: Hex
}

/** All calls. */
export function sameCases(facts: Facts): SameCase[] {
  const groups = {
    live: liveRequests(facts.sent),
    ...blockCases(facts),
    ...stateCases(facts),
    ...runCases(facts),
    ...simulationCases(facts),
  }
  const all = { ...groups, ...traceCases(facts), ...feeCases(facts), ...wrongCases(facts), ...otherWrongCases(facts) }
  return Object.entries(all).flatMap(([what, asked]) =>
    asked.map(([method, params]) => ({ what: alone.has(what) ? method : what, method, params })),
  )
}

type Groups = Record<string, Asked[]>

/** Groups of calls that have nothing in common, and are named by their methods. */
const alone: ReadonlySet<string> = new Set(['live', 'node'])

const byNumber = [
  'eth_getBlockByNumber',
  'eth_getHeaderByNumber',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByNumber',
  'eth_getUncleCountByBlockNumber',
] as const
const byHash = [
  'eth_getBlockByHash',
  'eth_getHeaderByHash',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByHash',
  'eth_getUncleCountByBlockHash',
] as const
const full = (method: string) => (/eth_getBlockBy/.test(method) ? [true] : [])

function blockCases({ sent, reverted, waiting }: Facts): Groups {
  const { blockHash, blockNumber } = sent.creation
  const at = (block: unknown): Asked[] => byNumber.map((method) => [method, [block, ...full(method)]])
  const of = (hash: unknown): Asked[] => byHash.map((method) => [method, [hash, ...full(method)]])
  const indices = ['0x0', '0x63'].flatMap((index): Asked[] => [
    ['eth_getTransactionByBlockNumberAndIndex', [blockNumber, index]],
    ['eth_getTransactionByBlockNumberAndIndex', ['earliest', index]],
    ['eth_getTransactionByBlockNumberAndIndex', [beyond, index]],
    ['eth_getTransactionByBlockHashAndIndex', [blockHash, index]],
    ['eth_getTransactionByBlockHashAndIndex', [noHash, index]],
  ])
  const logsIn = (more: object): Asked => ['eth_getLogs', [{ address: addresses.usdc, ...more }]]
  return {
    number: at(blockNumber),
    earliest: at('earliest'),
    pending: at('pending'),
    safe: at('safe'),
    finalized: at('finalized'),
    latest: at('latest'),
    'beyond the head': at(beyond),
    'block hash': of(blockHash),
    'unknown hash': of(noHash),
    index: indices,
    transaction: [...sent.hashes, reverted, waiting, noHash].flatMap((hash): Asked[] => [
      ['eth_getTransactionByHash', [hash]],
      ['eth_getTransactionReceipt', [hash]],
    ]),
    logs: [
      logsIn({ fromBlock: '0x0', toBlock: blockNumber }),
      logsIn({ fromBlock: 'earliest', toBlock: 'latest' }),
      logsIn({ fromBlock: '0x1', topics: [null, [noHash]] }),
      logsIn({ blockHash }),
      logsIn({ fromBlock: beyond }),
      logsIn({ fromBlock: beyond, toBlock: beyond }),
      logsIn({ fromBlock: '0x1', toBlock: beyond }),
      logsIn({ fromBlock: '0x5', toBlock: '0x1' }),
      logsIn({ fromBlock: '0x1', blockHash }),
      ['eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest', address: [sent.creation.contractAddress] }]],
      ['eth_getLogs', [{}]],
    ],
    'logs of an unknown hash': [logsIn({ blockHash: noHash })],
    'logs of many blocks': [logsIn({ fromBlock: '0x1', toBlock: '0xfffffff' })],
  }
}

function stateCases({ sent, rich }: Facts): Groups {
  const { blockHash, blockNumber } = sent.creation
  const at = (block: unknown): Asked[] => [
    ['eth_getBalance', [sent.account, block]],
    ['eth_getTransactionCount', [sent.account, block]],
    ['eth_getCode', [addresses.usdc, block]],
    ['eth_getStorageAt', [addresses.usdc, '0x0', block]],
    ['eth_getProof', [addresses.usdc, ['0x0', `0x${'0'.repeat(63)}1`], block]],
  ]
  return {
    'state at latest': at('latest'),
    'state at earliest': at('earliest'),
    // It has no proofs of a state that it did not write yet.
    'state at pending': at('pending').filter(([method]) => method !== 'eth_getProof'),
    'state at safe': at('safe'),
    'state at finalized': at('finalized'),
    'state at a number': at(blockNumber),
    'state at a hash': at(blockHash),
    'state at an object': at({ blockHash }),
    'state at an object of a number': at({ blockNumber }),
    'state at a canonical object': at({ blockHash, requireCanonical: true }),
    'state beyond the head': at(beyond),
    'state at an unknown hash': at({ blockHash: noHash }),
    'state at no block': at(null),
    'state of nobody': [
      ['eth_getBalance', [nobody, 'latest']],
      ['eth_getTransactionCount', [nobody, 'latest']],
      ['eth_getCode', [nobody, 'latest']],
      ['eth_getStorageAt', [nobody, noHash, 'latest']],
      ['eth_getProof', [nobody, [noHash], 'latest']],
      ['eth_getProof', [rich, [], 'latest']],
    ],
  }
}

const reading = (rich: Hex) => ({
  to: addresses.usdc,
  data: encodeFunctionData({ abi: erc20, functionName: 'balanceOf', args: [rich] }),
})

/** Calls to run: two that succeed, one that reverts, one whose sender cannot pay, and one that is no code. */
function messagesOf({ sent, rich }: Facts) {
  const data = encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [nobody, 1n] })
  const transfer = { from: rich, to: addresses.usdc, data }
  return {
    reading: reading(rich),
    transfer,
    reverts: { ...transfer, from: sent.account },
    poor: { from: nobody, to: rich, value: '0x1' },
    invalid: { from: rich, data: '0xfe' },
  }
}

/** Code that returns the number of the block. */
const numberCode = '0x4360005260206000f3'
const over = { [nobody]: { code: numberCode, balance: '0x5' } }

function runCases(facts: Facts): Groups {
  const { blockHash, blockNumber } = facts.sent.creation
  const { rich } = facts
  const all = messagesOf(facts)
  const { transfer } = all
  const messages = [...Object.values(all), { ...transfer, gas: '0x5208' }, { ...transfer, gas: '0x1' }]
  const methods = ['eth_call', 'eth_estimateGas', 'eth_createAccessList'] as const
  const readingAt = (block: unknown) =>
    methods.map((method): Asked => [method, [{ ...all.reading, from: rich }, block]])
  const transferWith = (more: object) =>
    methods.map((method): Asked => [method, [{ ...transfer, ...more }, blockNumber]])
  return {
    run: messages.flatMap((message) => methods.map((method): Asked => [method, [message, blockNumber]])),
    'run at': [blockHash, { blockHash }, 'latest', 'earliest', 'pending', 'safe'].flatMap(readingAt),
    'run at no block': [beyond, { blockHash: noHash }].flatMap(readingAt),
    'run with fees': [
      { gasPrice: '0x1' },
      { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' },
      { nonce: '0x0' },
      { accessList: [{ address: addresses.usdc, storageKeys: [`0x${'0'.repeat(64)}`] }] },
    ].flatMap(transferWith),
    'run that contradicts itself': [
      { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
      { gasPrice: '0x1', maxFeePerGas: '0x1' },
      { chainId: '0x1' },
    ].flatMap(transferWith),
    'run with data and another input': transferWith({ input: '0x12' }),
    'run with overrides': [
      ['eth_call', [{ to: nobody }, blockNumber, over]],
      ['eth_call', [{ to: nobody }, blockNumber, over, { number: '0x99' }]],
      ['eth_estimateGas', [{ to: nobody }, blockNumber, over]],
      ['eth_estimateGas', [{ to: nobody }, blockNumber, over, { number: '0x99' }]],
    ],
    'overrides that contradict each other': [
      ['eth_call', [{ to: nobody }, blockNumber, { [nobody]: { state: {}, stateDiff: {} } }]],
    ],
  }
}

function simulationCases(facts: Facts): Groups {
  const { blockHash, blockNumber } = facts.sent.creation
  const { reading, transfer, reverts, poor, invalid } = messagesOf(facts)
  const simulate = (blockStateCalls: object[], more: object = {}): Asked => [
    'eth_simulateV1',
    [{ blockStateCalls, ...more }, blockNumber],
  ]
  return {
    simulate: [
      simulate([{ calls: [reading, transfer] }]),
      simulate([{ calls: [transfer] }, {}, { calls: [reverts] }], { traceTransfers: true }),
      simulate([{ calls: [transfer] }], { returnFullTransactions: true }),
      simulate([{ calls: [{ ...transfer, maxFeePerGas: '0x77359400' }] }], { validation: true }),
      simulate([
        {
          stateOverrides: over,
          blockOverrides: { number: numberToHex(BigInt(blockNumber) + 3n) },
          calls: [{ to: nobody }],
        },
      ]),
      simulate([{ calls: [poor] }]),
      simulate([{ calls: [invalid] }]),
      simulate([{ calls: [{ ...transfer, gas: '0x1' }] }]),
      simulate([{ calls: [{ ...transfer, nonce: '0x0' }] }], { validation: true }),
      simulate([{ calls: [{ ...transfer, nonce: '0xffff' }] }], { validation: true }),
      simulate([{ calls: [{ ...transfer, maxFeePerGas: '0x1' }] }], { validation: true }),
      simulate([{ blockOverrides: { number: '0x1' } }]),
      simulate([{ blockOverrides: { time: '0x1' } }]),
      simulate([{ blockOverrides: { gasLimit: '0x5208' }, calls: [{ ...transfer, gas: '0xffff' }] }]),
      simulate(Array(257).fill({})),
      simulate([]),
      ['eth_simulateV1', [{ blockStateCalls: [{ calls: [reading] }] }, { blockHash }]],
    ],
    'simulate beyond the head': [['eth_simulateV1', [{ blockStateCalls: [{ calls: [reading] }] }, beyond]]],
  }
}

function traceCases({ sent, rich, reverted, waiting }: Facts): Groups {
  const { blockHash, blockNumber } = sent.creation
  const read = reading(rich)
  const options = [
    {},
    { tracer: 'callTracer' },
    { tracer: 'callTracer', tracerConfig: { withLog: true, onlyTopCall: true } },
    { tracer: 'prestateTracer' },
    { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
    { tracer: '4byteTracer' },
    { tracer: 'noopTracer' },
    { enableMemory: true, enableReturnData: true, disableStorage: true },
    { limit: 1 },
    { timeout: '5s', reexec: 3 },
  ]
  return {
    trace: options.flatMap((option): Asked[] => [
      ['debug_traceTransaction', [sent.hashes[4], option]],
      ['debug_traceTransaction', [reverted, option]],
      ['debug_traceBlockByNumber', [blockNumber, option]],
      ['debug_traceBlockByHash', [blockHash, option]],
      ['debug_traceCall', [read, blockNumber, option]],
    ]),
    'trace of what is not': [
      ['debug_traceTransaction', [noHash]],
      ['debug_traceTransaction', [waiting]],
      ['debug_traceBlockByNumber', [beyond]],
      ['debug_traceBlockByNumber', ['earliest']],
      ['debug_traceBlockByHash', [noHash]],
      ['debug_traceCall', [read, beyond]],
      ['debug_traceCall', [read, { blockHash: noHash }]],
    ],
    'trace of who cannot pay': [['debug_traceCall', [{ from: nobody, to: rich, value: '0x1' }, blockNumber]]],
    'trace with overrides': [
      [
        'debug_traceCall',
        [
          { to: nobody },
          blockNumber,
          {
            tracer: 'callTracer',
            stateOverrides: { [nobody]: { code: numberCode } },
            blockOverrides: { number: '0x99' },
          },
        ],
      ],
      ['debug_traceCall', [read, blockNumber, { tracer: 'callTracer', txIndex: '0x0' }]],
    ],
    'trace at a transaction that is not': [['debug_traceCall', [read, blockNumber, { txIndex: '0x99' }]]],
    'trace by a custom tracer': [['debug_traceTransaction', [sent.hashes[4], { tracer: '{}' }]]],
  }
}

function feeCases({ sent }: Facts): Groups {
  const { blockNumber } = sent.creation
  return {
    fees: [
      ['eth_feeHistory', ['0x4', blockNumber, [0, 50, 100]]],
      ['eth_feeHistory', [4, blockNumber, []]],
      ['eth_feeHistory', ['0x400', '0x3', [99.5]]],
      ['eth_feeHistory', ['0x2', 'earliest', [50]]],
      ['eth_feeHistory', ['0x2', 'pending', [50]]],
      ['eth_feeHistory', ['0x2', 'finalized', [50]]],
    ],
    'fees of no block': [['eth_feeHistory', ['0x0', '0x3', []]]],
    'fees beyond the head': [['eth_feeHistory', ['0x2', beyond, [50]]]],
    'wrong percentiles': [
      ['eth_feeHistory', ['0x2', '0x3', [50, 20]]],
      ['eth_feeHistory', ['0x2', '0x3', [101]]],
      ['eth_feeHistory', ['0x2', '0x3', Array(101).fill(1)]],
    ],
    node: [
      ['net_listening', []],
      ['net_peerCount', []],
      ['web3_clientVersion', []],
      ['web3_sha3', ['0x1234']],
      ['web3_sha3', ['0x']],
      ['txpool_inspect', []],
      ['txpool_contentFrom', [nobody]],
      ['eth_uninstallFilter', ['0x1234']],
      ['eth_getFilterChanges', ['0x1234']],
      ['eth_getFilterLogs', ['0x1234']],
      ['rollup_syncStatus', []],
      ['rollup_rollupConfig', []],
      ['rollup_outputAtBlock', ['latest']],
      ['admin_startSequencer', []],
      ['admin_stopSequencer', []],
      ['eth_subscribe', ['newHeads']],
      ['eth_newFilter', [{}]],
      ['eth_noSuchMethod', []],
      ['debug_setHead', [beyond]],
    ],
    'what is sent': [
      ['eth_sendRawTransaction', ['0x']],
      ['eth_sendRawTransaction', ['0x1234']],
      ['eth_sendRawTransaction', ['0x123']],
      ['eth_sendRawTransactionSync', ['0x1234', 1]],
      ['eth_sendTransaction', [{ from: nobody, to: nobody }]],
    ],
  }
}

function wrongCases({ sent, rich }: Facts): Groups {
  const { blockNumber, blockHash } = sent.creation
  return {
    'wrong number': ['0x', '0x01', '1', 1, 'newest', '0xzz', `0x1${'0'.repeat(16)}`, true, {}].flatMap(
      (block): Asked[] => [
        ['eth_getBlockByNumber', [block, false]],
        ['eth_getBalance', [rich, block]],
        ['eth_call', [{ to: rich }, block]],
      ],
    ),
    'wrong hash': [
      '0x',
      '0x12',
      blockHash.slice(0, -1),
      `${blockHash}00`,
      blockHash.slice(2),
      blockHash.toUpperCase().replace('X', 'x'),
      5,
      null,
    ].flatMap((hash): Asked[] => [
      ['eth_getBlockByHash', [hash, false]],
      ['eth_getTransactionByHash', [hash]],
      ['eth_getTransactionReceipt', [hash]],
      ['debug_traceTransaction', [hash]],
    ]),
    'wrong address': [
      '0x',
      rich.slice(0, -1),
      `${rich}00`,
      rich.slice(2),
      rich.toUpperCase().replace('X', 'x'),
      'me.eth',
      5,
      null,
    ].flatMap((address): Asked[] => [
      ['eth_getBalance', [address, blockNumber]],
      ['eth_getCode', [address, blockNumber]],
      ['eth_getLogs', [{ address, fromBlock: blockNumber, toBlock: blockNumber }]],
    ]),
    'wrong slot': ['', '0x', '0', '00', '0xzz', `0x${'0'.repeat(65)}`, `0x${'0'.repeat(66)}`, 5, '0x123'].flatMap(
      (slot): Asked[] => [
        ['eth_getStorageAt', [addresses.usdc, slot, blockNumber]],
        ['eth_getProof', [addresses.usdc, [slot], blockNumber]],
      ],
    ),
    'wrong message': [
      { data: '0x123' },
      { data: '1234' },
      { data: 5 },
      { value: '0x01' },
      { value: 1 },
      { value: '1' },
      { value: `0x1${'0'.repeat(64)}` },
      { gas: '0xffffffffffffffffff' },
      { to: 'me.eth' },
      { unknown: true },
    ].flatMap((more): Asked[] => [
      ['eth_call', [{ from: rich, to: rich, ...more }, blockNumber]],
      ['eth_estimateGas', [{ from: rich, to: rich, ...more }, blockNumber]],
    ]),
  }
}

function otherWrongCases({ sent, rich }: Facts): Groups {
  const { blockNumber, blockHash } = sent.creation
  return {
    'wrong filter': [
      { fromBlock: '0x01' },
      { fromBlock: 1 },
      { topics: ['0x12'] },
      { topics: Array(5).fill(null) },
      { topics: noHash },
      { blockHash: '0x12' },
      { unknown: true },
      { topics: [Array(1_001).fill(noHash)] },
      { address: Array(1_001).fill(rich) },
    ].map((filter): Asked => ['eth_getLogs', [filter]]),
    'too few parameters': [
      ['eth_getBlockByNumber', [blockNumber]],
      ['eth_getBlockByNumber', []],
      ['eth_getBlockByHash', [blockHash]],
      ['eth_getBalance', [rich]],
      ['eth_getBalance', []],
      ['eth_getStorageAt', [rich]],
      ['eth_getProof', [rich]],
      ['eth_call', []],
      ['eth_call', [{ to: rich }]],
      ['eth_getLogs', []],
      ['eth_feeHistory', ['0x1']],
      ['eth_getBlockReceipts', []],
      ['eth_getTransactionByBlockHashAndIndex', [blockHash]],
      ['eth_simulateV1', []],
    ],
    'too many parameters': [
      ['eth_blockNumber', [1]],
      ['eth_getBlockByNumber', [blockNumber, false, 1]],
      ['eth_getBalance', [rich, blockNumber, 1]],
      ['eth_getTransactionReceipt', [sent.hashes[0], 1]],
      ['eth_call', [{ to: rich }, blockNumber, {}, {}, 1]],
      ['debug_traceTransaction', [sent.hashes[0], {}, 1]],
    ],
  }
}
