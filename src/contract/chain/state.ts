import { z } from 'zod'
import { boundedArray } from '../shared/bounded.ts'
import { bounds } from '../shared/limits.ts'
import { address, blockTag, freeValue, hash, hexData, quantity } from '../shared/primitives.ts'
import { clientVersion } from '../shared/version.ts'
import { alice, balanceOfCall, balanceWord, emptyRoot, exampleBlock, token, transferCall } from './examples.ts'
import { callMessage, inputData, storageSlot } from './inputs.ts'
import { atBlockOrHash, node } from './node.ts'
import { blockOverrides, stateOverrides } from './overrides.ts'
import { accessListItem, accountProof, feeHistory, simulatedBlock } from './values.ts'

/** The node itself, accounts, read-only calls, gas and fees. */

const account = address.describe('The account')

/** The most blocks of a fee history. */
const mostHistory = 1_024

/** Whether a text is a quantity above a bound; other texts are refused by their own rule. */
function isMore(text: string, bound: number): boolean {
  return /^0x[0-9a-fA-F]{1,64}$/.test(text) && BigInt(text) > bound
}

const blockStateCall = z
  .strictObject({ blockOverrides, stateOverrides, calls: boundedArray(callMessage, 100).optional() })
  .meta({ id: 'BlockStateCall', description: 'A block to simulate: its overrides and its calls' })

const simulation = z
  .strictObject({
    blockStateCalls: boundedArray(blockStateCall, 1_000).min(1),
    traceTransfers: z.boolean().describe('Show transfers of native currency as logs').optional(),
    validation: z.boolean().describe('Check nonces, balances and fees as for real transactions').optional(),
    returnFullTransactions: z.boolean().optional(),
  })
  .meta({ id: 'Simulation', description: 'Blocks to simulate one after another' })

const accessListEstimate = z
  .object({
    accessList: z.array(accessListItem),
    gasUsed: quantity,
    error: z.string().describe('Why the call failed; absent if it succeeded').optional(),
  })
  .meta({ id: 'AccessListEstimate', description: 'The access list of a call, and its gas with that list' })

export const chainState = {
  chainId: node('eth_chainId', {
    summary: 'Id of the chain',
    params: {},
    output: quantity,
    example: { input: {}, output: '0x14a34' },
  }),
  netVersion: node('net_version', {
    summary: 'Id of the network, as a decimal string; equals the chain id',
    params: {},
    output: z.string(),
    example: { input: {}, output: '84532' },
  }),
  netListening: node('net_listening', {
    summary: 'Whether the node accepts connections',
    params: {},
    output: z.boolean(),
    example: { input: {}, output: true },
  }),
  netPeerCount: node('net_peerCount', {
    summary: 'Number of peers of the node; the embedded chain has none',
    params: {},
    output: quantity,
    example: { input: {}, output: '0x0' },
  }),
  web3ClientVersion: node('web3_clientVersion', {
    summary: 'Name and version of the gateway that serves the node',
    params: {},
    output: z.string(),
    example: { input: {}, output: clientVersion },
  }),
  web3Sha3: node('web3_sha3', {
    summary: 'Keccak-256 of bytes',
    params: { data: inputData },
    output: hash,
    example: {
      input: { data: '0x' },
      output: '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
    },
  }),
  syncing: node('eth_syncing', {
    summary: 'Progress of the synchronisation, or false',
    description:
      'False when the node is synchronised, else an object with startingBlock, currentBlock and highestBlock.',
    params: {},
    output: freeValue,
    example: { input: {}, output: false },
  }),
  accounts: node('eth_accounts', {
    summary: 'Accounts that the node signs for: none',
    params: {},
    output: z.array(address),
    example: { input: {}, output: [] },
  }),
  getBalance: node('eth_getBalance', {
    summary: 'Balance of an account in wei',
    params: { address: account, block: atBlockOrHash },
    output: quantity,
    errors: ['NOT_FOUND'],
    example: { input: { address: alice, block: 'latest' }, output: '0x8ac7230489e80000' },
  }),
  getTransactionCount: node('eth_getTransactionCount', {
    summary: 'Nonce of an account: how many transactions it has sent',
    params: { address: account, block: atBlockOrHash },
    output: quantity,
    errors: ['NOT_FOUND'],
    example: { input: { address: alice, block: 'pending' }, output: '0x8' },
  }),
  getCode: node('eth_getCode', {
    summary: 'Code of a contract; 0x where there is none',
    params: { address: account, block: atBlockOrHash },
    output: hexData,
    errors: ['NOT_FOUND'],
    example: { input: { address: alice, block: 'latest' }, output: '0x' },
  }),
  getStorageAt: node('eth_getStorageAt', {
    summary: 'The 32 bytes of a storage slot',
    params: { address: account, slot: storageSlot, block: atBlockOrHash },
    output: hexData,
    errors: ['NOT_FOUND'],
    example: { input: { address: token, slot: '0x0', block: 'latest' }, output: balanceWord },
  }),
  getProof: node('eth_getProof', {
    summary: 'An account and its storage slots with Merkle proofs',
    values: 1_100,
    params: { address: account, storageKeys: boundedArray(storageSlot, 1_000), block: atBlockOrHash },
    output: accountProof,
    errors: ['NOT_FOUND'],
    example: {
      input: { address: alice, storageKeys: [], block: 'latest' },
      output: {
        address: alice,
        balance: '0x8ac7230489e80000',
        nonce: '0x8',
        codeHash: '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
        storageHash: emptyRoot,
        accountProof: ['0xf8719e20'],
        storageProof: [],
      },
    },
  }),
  call: node('eth_call', {
    summary: 'Runs a call without a transaction and returns its result',
    work: true,
    values: bounds.jsonValues,
    params: { transaction: callMessage, block: atBlockOrHash, stateOverrides, blockOverrides },
    output: hexData,
    errors: ['EXECUTION_REVERTED', 'FAILED_PRECONDITION', 'NOT_FOUND'],
    example: { input: { transaction: { to: token, data: balanceOfCall }, block: 'latest' }, output: balanceWord },
  }),
  estimateGas: node('eth_estimateGas', {
    summary: 'Gas that a transaction would need',
    work: true,
    values: bounds.jsonValues,
    params: { transaction: callMessage, block: atBlockOrHash, stateOverrides, blockOverrides },
    output: quantity,
    errors: ['EXECUTION_REVERTED', 'FAILED_PRECONDITION', 'NOT_FOUND'],
    example: { input: { transaction: { from: alice, to: token, data: transferCall } }, output: '0xcb1f' },
  }),
  createAccessList: node('eth_createAccessList', {
    summary: 'The access list of a call',
    work: true,
    values: bounds.jsonValues,
    params: { transaction: callMessage, block: atBlockOrHash },
    output: accessListEstimate,
    errors: ['EXECUTION_REVERTED', 'FAILED_PRECONDITION', 'NOT_FOUND'],
    example: {
      input: { transaction: { from: alice, to: token, data: transferCall }, block: 'latest' },
      output: { accessList: [{ address: token, storageKeys: [emptyRoot] }], gasUsed: '0xcb1f' },
    },
  }),
  simulateV1: node('eth_simulateV1', {
    summary: 'Simulates blocks of calls on top of a block',
    work: true,
    values: bounds.jsonValues,
    description:
      'The blocks link to that block and to each other, and skipped numbers become empty blocks. ' +
      'The embedded chain returns zero for the roots of state and receipts, and does not support validation, ' +
      'creation of contracts or a base fee. It also lists a transfer to a contract that failed within a successful call.',
    params: { simulation, block: atBlockOrHash },
    output: z.array(simulatedBlock),
    errors: ['EXECUTION_REVERTED', 'FAILED_PRECONDITION', 'NOT_FOUND'],
    example: {
      input: {
        simulation: { blockStateCalls: [{ calls: [{ to: token, input: balanceOfCall }] }] },
        block: 'latest',
      },
      output: [{ ...exampleBlock, calls: [{ status: '0x1', returnData: balanceWord, gasUsed: '0x5e2a', logs: [] }] }],
    },
  }),
  gasPrice: node('eth_gasPrice', {
    summary: 'A gas price in wei that gets a legacy transaction included soon',
    params: {},
    output: quantity,
    example: { input: {}, output: '0x3b9aca07' },
  }),
  maxPriorityFeePerGas: node('eth_maxPriorityFeePerGas', {
    summary: 'A tip in wei per gas that gets a transaction included soon',
    params: {},
    output: quantity,
    example: { input: {}, output: '0x3b9aca00' },
  }),
  blobBaseFee: node('eth_blobBaseFee', {
    summary: 'Wei per gas of blobs',
    params: {},
    output: quantity,
    example: { input: {}, output: '0x1' },
  }),
  feeHistory: node('eth_feeHistory', {
    summary: 'Base fees, gas usage and tips of a range of blocks',
    params: {
      blockCount: quantity
        .overwrite((count) => (isMore(count, mostHistory) ? `0x${mostHistory.toString(16)}` : count))
        .describe(
          'Number of blocks; the maximum is 1,024, and more are reduced to that. Over JSON-RPC a plain integer is accepted too',
        ),
      newestBlock: blockTag.describe('Last block of the range'),
      rewardPercentiles: boundedArray(z.number().min(0).max(100), 100)
        .refine((all) => all.every((one, index) => index === 0 || one > (all[index - 1] ?? one)), {
          message: 'must rise from each to the next',
        })
        .describe('Percentiles of the tips to return, in ascending order')
        .optional(),
    },
    output: feeHistory,
    errors: ['NOT_FOUND'],
    example: {
      input: { blockCount: '0x2', newestBlock: 'latest', rewardPercentiles: [25, 75] },
      output: {
        oldestBlock: '0x1b3',
        baseFeePerGas: ['0x7', '0x7', '0x7'],
        gasUsedRatio: [0, 0.0017],
        reward: [
          ['0x0', '0x0'],
          ['0x3b9aca00', '0x3b9aca00'],
        ],
      },
    },
  }),
}
