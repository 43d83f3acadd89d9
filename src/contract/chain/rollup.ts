import { z } from 'zod'
import { bounds } from '../shared/limits.ts'
import { operation } from '../shared/operation.ts'
import { address, freeInput, freeValue, hash, quantity } from '../shared/primitives.ts'
import { alice, blockHash, emptyRoot, token, transactionHash, transferCall } from './examples.ts'
import { callMessage } from './inputs.ts'
import { atBlockOrHash, node, numberedBlock } from './node.ts'
import { blockOverrides, stateOverrides } from './overrides.ts'

/** Methods of the rollup, traces, and the operator's control of the sequencer. */

const blockId = z.object({ hash, number: z.int() }).meta({ id: 'BlockId', description: 'A block by number and hash' })

const seconds = z.int().describe('Seconds since 1970')

const l1BlockRef = z
  .object({ hash, number: z.int(), parentHash: hash.optional(), timestamp: seconds })
  .meta({ id: 'L1BlockRef', description: 'A block of the parent chain' })

const l2BlockRef = z
  .object({
    hash,
    number: z.int(),
    parentHash: hash.optional(),
    timestamp: seconds,
    l1origin: blockId.optional().describe('The parent-chain block that it builds on'),
    sequenceNumber: z.int().describe('Number of blocks since the last one with another origin').optional(),
  })
  .meta({ id: 'L2BlockRef', description: 'A block of this chain' })

const syncStatus = z
  .object({
    current_l1: l1BlockRef,
    head_l1: l1BlockRef,
    safe_l1: l1BlockRef,
    finalized_l1: l1BlockRef,
    unsafe_l2: l2BlockRef,
    safe_l2: l2BlockRef,
    finalized_l2: l2BlockRef,
  })
  .meta({ id: 'SyncStatus', description: 'The newest blocks of this chain and its parent chain, by finality' })

const rollupGenesis = z
  .object({ l1: blockId, l2: blockId, l2_time: seconds })
  .meta({ id: 'RollupGenesis', description: 'The first blocks of the rollup' })

const rollupConfig = z
  .object({
    genesis: rollupGenesis,
    block_time: z.int().describe('Seconds between blocks'),
    max_sequencer_drift: z.int().describe('Seconds that a block may be ahead of its origin'),
    seq_window_size: z.int().describe('Parent-chain blocks within which a batch must appear'),
    channel_timeout: z.int().describe('Parent-chain blocks a channel stays open'),
    l1_chain_id: z.int(),
    l2_chain_id: z.int(),
    batch_inbox_address: address,
    deposit_contract_address: address,
    l1_system_config_address: address,
  })
  .meta({ id: 'RollupConfig', description: 'The configuration of the rollup' })

const outputAtBlock = z
  .object({
    version: hash,
    outputRoot: hash,
    blockRef: l2BlockRef,
    withdrawalStorageRoot: hash,
    stateRoot: hash,
    syncStatus: syncStatus.optional(),
  })
  .meta({
    id: 'OutputAtBlock',
    description: 'The commitment to the state at a block, as it is published on the parent chain',
  })

const traceFields = {
  tracer: z
    .enum(['callTracer', 'prestateTracer', '4byteTracer', 'noopTracer'])
    .meta({ message: 'Tracer' })
    .describe('A built-in tracer; the steps of the EVM by default')
    .optional(),
  tracerConfig: freeInput.describe('Settings of the tracer').optional(),
  timeout: z
    .string()
    .max(20)
    .regex(/^\d+(\.\d+)?(ms|s|m)$/, 'a duration such as 500ms or 5s')
    .optional(),
  disableStorage: z.boolean().optional(),
  disableStack: z.boolean().optional(),
  disableMemory: z.boolean().optional(),
  enableMemory: z.boolean().optional(),
  enableReturnData: z.boolean().optional(),
  limit: z.int32().min(0).describe('Most steps to return; 0 for the limit of the node alone').optional(),
  reexec: z.int32().min(0).max(1_000_000).describe('Blocks that may be executed again to reach the state').optional(),
}

const traceOptions = z
  .strictObject(traceFields)
  .meta({ id: 'TraceOptions', description: 'What a trace shows; custom tracers are not supported' })

const traceCallOptions = z
  .strictObject({
    ...traceFields,
    stateOverrides,
    blockOverrides,
    txIndex: quantity.describe('Run the call before the transaction at this index of the block').optional(),
  })
  .meta({ id: 'TraceCallOptions', description: 'What a trace shows, and the overrides of its call' })

const l1 = { hash: emptyRoot, number: 90, timestamp: 1_759_572_378 }
const l2 = { hash: blockHash, number: 436, timestamp: 1_759_572_386, l1origin: { hash: emptyRoot, number: 90 } }
const exampleStatus = {
  current_l1: l1,
  head_l1: l1,
  safe_l1: l1,
  finalized_l1: l1,
  unsafe_l2: l2,
  safe_l2: l2,
  finalized_l2: l2,
}
const exampleTrace = {
  type: 'CALL',
  from: alice,
  to: token,
  value: '0x0',
  gas: '0x186a0',
  gasUsed: '0xcb1f',
  input: transferCall,
  output: '0x',
}

export const chainRollup = {
  rollupSyncStatus: node('rollup_syncStatus', {
    summary: 'Newest blocks of this chain and its parent chain',
    aliases: ['optimism_syncStatus'],
    params: {},
    output: syncStatus,
    example: { input: {}, output: exampleStatus },
  }),
  rollupRollupConfig: node('rollup_rollupConfig', {
    summary: 'Configuration of the rollup',
    aliases: ['optimism_rollupConfig'],
    params: {},
    output: rollupConfig,
    example: {
      input: {},
      output: {
        genesis: { l1: { hash: emptyRoot, number: 0 }, l2: { hash: blockHash, number: 0 }, l2_time: 1_759_571_514 },
        block_time: 2,
        max_sequencer_drift: 600,
        seq_window_size: 3600,
        channel_timeout: 300,
        l1_chain_id: 900,
        l2_chain_id: 84_532,
        batch_inbox_address: '0xff00000000000000000000000000000000084532',
        deposit_contract_address: token,
        l1_system_config_address: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
      },
    },
  }),
  rollupOutputAtBlock: node('rollup_outputAtBlock', {
    summary: 'The output root at a block',
    aliases: ['optimism_outputAtBlock'],
    params: { block: numberedBlock },
    output: outputAtBlock,
    errors: ['NOT_FOUND'],
    example: {
      input: { block: 'latest' },
      output: {
        version: `0x${'00'.repeat(32)}`,
        outputRoot: '0x0c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f405162738495a6b7c8d9eafb',
        blockRef: l2,
        withdrawalStorageRoot: emptyRoot,
        stateRoot: '0x7c8d9eafb0c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f405162738495a6b',
      },
    },
  }),
  debugTraceTransaction: node('debug_traceTransaction', {
    summary: 'Executes an included transaction again and returns its trace',
    work: true,
    values: bounds.freeValues,
    params: { hash: hash.describe('Hash of the transaction'), options: traceOptions.optional() },
    output: freeValue,
    errors: ['NOT_FOUND'],
    example: { input: { hash: transactionHash, options: { tracer: 'callTracer' } }, output: exampleTrace },
  }),
  debugTraceBlockByNumber: node('debug_traceBlockByNumber', {
    summary: 'Executes a block again and returns the trace of each transaction',
    work: true,
    values: bounds.freeValues,
    params: { block: numberedBlock, options: traceOptions.optional() },
    output: z.array(freeValue),
    errors: ['NOT_FOUND'],
    example: {
      input: { block: '0x1b4', options: { tracer: 'callTracer' } },
      output: [{ txHash: transactionHash, result: exampleTrace }],
    },
  }),
  debugTraceBlockByHash: node('debug_traceBlockByHash', {
    summary: 'Executes the block with a hash again and returns the trace of each transaction',
    work: true,
    values: bounds.freeValues,
    params: { hash: hash.describe('Hash of the block'), options: traceOptions.optional() },
    output: z.array(freeValue),
    errors: ['NOT_FOUND'],
    example: {
      input: { hash: blockHash, options: { tracer: 'callTracer' } },
      output: [{ txHash: transactionHash, result: exampleTrace }],
    },
  }),
  debugTraceCall: node('debug_traceCall', {
    summary: 'Runs a call without a transaction and returns its trace',
    work: true,
    values: bounds.jsonValues,
    params: { transaction: callMessage, block: atBlockOrHash, options: traceCallOptions.optional() },
    output: freeValue,
    errors: ['FAILED_PRECONDITION', 'NOT_FOUND'],
    example: {
      input: {
        transaction: { from: alice, to: token, data: transferCall },
        block: 'latest',
        options: { tracer: 'callTracer' },
      },
      output: exampleTrace,
    },
  }),
  adminStartSequencer: sequencer('admin_startSequencer', {
    summary: 'Starts block production; true when it runs',
    description: 'A block hash may be sent, as rollup nodes require it; it must be that of the newest block.',
    params: { blockHash: hash.describe('Hash of the newest block').optional() },
  }),
  adminStopSequencer: sequencer('admin_stopSequencer', {
    summary: 'Stops block production; true when it is stopped and transactions stay pending',
    description: 'Production starts again by admin_startSequencer, or when the gateway starts.',
    params: {},
  }),
}

type SequencerMethod<Shape extends z.ZodRawShape> = { summary: string; description?: string; params: Shape }

function sequencer<Shape extends z.ZodRawShape>(method: string, { params, ...rest }: SequencerMethod<Shape>) {
  return operation({
    ...rest,
    kind: 'unary',
    auth: 'operator',
    rate: 'operator',
    rpc: { method, params: Object.keys(params) },
    input: z.strictObject(params),
    output: z.boolean(),
    errors: ['UNIMPLEMENTED', 'UNAVAILABLE', 'PERMISSION_DENIED', 'FAILED_PRECONDITION'],
    example: { input: {} as z.input<z.ZodObject<Shape, z.core.$strict>>, output: true },
  })
}
