import { z } from 'zod'
import { bounds } from '../shared/limits.ts'
import { operation } from '../shared/operation.ts'
import { inputText } from '../shared/primitives.ts'
import { source, toolInvocation, toolList, toolResult } from '../shared/values.ts'
import { bitcoinTools } from './bitcoin-tool-table.ts'

const network = z.enum(['mainnet', 'testnet', 'signet', 'regtest']).meta({ message: 'BitcoinNetwork' })

const bitcoinBlock = z
  .object({
    id: z.string().describe('Hash of the block'),
    height: z.int().describe('Number of the block'),
    version: z.int().describe('Version of the block'),
    timestamp: z.int().describe('Time of the block, in seconds since 1970'),
    tx_count: z.int().describe('Transactions in the block'),
    size: z.int().describe('Size in bytes'),
    weight: z.int().describe('Weight in weight units'),
    merkle_root: z.string().describe('Merkle root of the transactions'),
    previousblockhash: z.string().describe('Hash of the previous block; null for the first').nullable(),
    mediantime: z.int().describe('Median time of the last eleven blocks, in seconds since 1970'),
    nonce: z.int().describe('Nonce of the block'),
    bits: z.int().describe('Target in compact form'),
    difficulty: z.number().describe('Difficulty'),
    fee_estimates: z
      .array(
        z
          .object({
            blocks: z.int32().describe('Most blocks to wait'),
            sat_per_vbyte: z.number().describe('Satoshi per virtual byte'),
          })
          .meta({ id: 'BitcoinFee', description: 'The fee rate to be mined within a number of blocks' }),
      )
      .describe('Fee rates by the number of blocks to wait; empty where the provider does not report them'),
    age_ms: z.int32().describe('Milliseconds since the provider was read'),
    source,
  })
  .meta({ id: 'BitcoinBlock', description: 'A Bitcoin block' })

const bitcoinTransaction = z
  .object({
    txid: z.string().describe('Id of the transaction'),
    wtxid: z.string().describe('Hash with the witness; the same where there is none'),
    network: network.describe('Network of the addresses'),
    version: z.int().describe('Version of the transaction'),
    locktime: z.int().describe('Earliest block or time at which it may be mined'),
    size: z.int().describe('Size in bytes'),
    weight: z.int().describe('Weight in weight units'),
    vin: z
      .array(
        z
          .object({
            txid: z.string().describe('Transaction whose output is spent'),
            vout: z.int().describe('Index of that output'),
            scriptsig: z.string().describe('Script in hex'),
            scriptsig_asm: z.string().describe('Script as text'),
            witness: z.array(z.string()).describe('Witness items in hex'),
            is_coinbase: z.boolean().describe('True for the reward of a block'),
            sequence: z.int().describe('Sequence number'),
          })
          .meta({ id: 'BitcoinInput', description: 'An input of a Bitcoin transaction' }),
      )
      .describe('Inputs'),
    vout: z
      .array(
        z
          .object({
            scriptpubkey: z.string().describe('Script in hex'),
            scriptpubkey_asm: z.string().describe('Script as text'),
            scriptpubkey_type: z.string().describe('Kind of script, such as v0_p2wpkh'),
            scriptpubkey_address: z.string().describe('Address, where the script has one').optional(),
            value: z.int().describe('Amount in satoshi'),
          })
          .meta({ id: 'BitcoinOutput', description: 'An output of a Bitcoin transaction' }),
      )
      .describe('Outputs'),
  })
  .meta({ id: 'BitcoinTransaction', description: 'A decoded Bitcoin transaction' })

const sampleBitcoinHash = '00000000000000000001f3a5c7e9b1d3f5a7c9e1b3d5f7a9c1e3b5d7f9a1c3e5'
const sampleBitcoinAddress = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

/** Bitcoin, with the field names of Esplora. */
export const bitcoinOperations = {
  listBitcoin: operation({
    kind: 'unary',
    summary: 'List the Bitcoin tools',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/multi-agent/bitcoin/tools' },
    input: z.strictObject({}),
    output: toolList,
    errors: ['UNIMPLEMENTED'],
    example: {
      input: {},
      output: {
        tools: [{ name: 'latest_block', description: 'The newest block', input_schema: { type: 'object' } }],
      },
    },
  }),

  invokeBitcoin: operation({
    kind: 'unary',
    summary: 'Call a tool of the Bitcoin provider',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    values: bounds.freeValues,
    http: { method: 'POST', path: '/api/v1/multi-agent/bitcoin/invoke' },
    input: toolInvocation(bitcoinTools, 'transaction_get or address_get'),
    output: toolResult,
    errors: ['NOT_FOUND', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED'],
    example: {
      input: { tool_name: 'tip_get', arguments: {} },
      output: {
        tool: 'tip_get',
        result: { height: 940_112, id: sampleBitcoinHash },
        source: 'bitcoin (blockstream.info)',
        age_ms: 0,
        latency_ms: 44,
      },
    },
  }),

  latestBitcoinBlock: operation({
    kind: 'unary',
    summary: 'Read the newest Bitcoin block',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/multi-agent/bitcoin/latest-block' },
    input: z.object({}),
    output: bitcoinBlock,
    errors: ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED'],
    example: {
      input: {},
      output: {
        id: sampleBitcoinHash,
        height: 940_112,
        version: 536_870_912,
        timestamp: 1_773_480_000,
        tx_count: 3_204,
        size: 1_612_044,
        weight: 3_993_211,
        merkle_root: '7d1f3b5a9c8e2064f7b1d3a5c9e8f0214b6d8a0c2e4f6183a5b7c9d1e3f50627',
        previousblockhash: '00000000000000000000b2d4f6a8c0e2143658709bacbdcedfe0f1a2b3c4d5e6',
        mediantime: 1_773_477_400,
        nonce: 2_915_604_113,
        bits: 386_021_892,
        difficulty: 144_398_401_518_101.3,
        fee_estimates: [{ blocks: 2, sat_per_vbyte: 3.2 }],
        age_ms: 0,
        source: 'bitcoin (blockstream.info)',
      },
    },
  }),

  decodeBitcoinTransaction: operation({
    kind: 'unary',
    summary: 'Decode a raw Bitcoin transaction',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'POST', path: '/api/v1/multi-agent/bitcoin/tx/decode' },
    input: z.strictObject({
      raw_tx: z
        .string()
        .min(20)
        .max(800_000)
        .regex(/^([0-9a-fA-F]{2})+$/, 'hex bytes without 0x')
        .describe('The transaction in hex'),
      network: network.describe('Network of the addresses, which the transaction does not contain').default('mainnet'),
    }),
    output: bitcoinTransaction,
    errors: ['UNIMPLEMENTED'],
    example: {
      input: {
        raw_tx:
          '0200000001a1b2c3d4e5f60718293a4b5c6d7e8f900112233445566778899aabbccddeeff00000000000fdffffff0150c30000000000' +
          '00160014751e76e8199196d454941c45d1b3a323f1433bd600000000',
      },
      output: {
        txid: '9487d412c1ca4d64cac710b996d56d2ce3fb850603ca1efce8e67b25d7eb7090',
        wtxid: '9487d412c1ca4d64cac710b996d56d2ce3fb850603ca1efce8e67b25d7eb7090',
        network: 'mainnet',
        version: 2,
        locktime: 0,
        size: 82,
        weight: 328,
        vin: [
          {
            txid: 'f0efdecdbcab9a897867564534231201908f7e6d5c4b3a291807f6e5d4c3b2a1',
            vout: 0,
            scriptsig: '',
            scriptsig_asm: '',
            witness: [],
            is_coinbase: false,
            sequence: 4_294_967_293,
          },
        ],
        vout: [
          {
            scriptpubkey: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
            scriptpubkey_asm: 'OP_0 OP_PUSHBYTES_20 751e76e8199196d454941c45d1b3a323f1433bd6',
            scriptpubkey_type: 'v0_p2wpkh',
            scriptpubkey_address: sampleBitcoinAddress,
            value: 50_000,
          },
        ],
      },
    },
  }),

  validateBitcoinAddress: operation({
    kind: 'unary',
    summary: 'Check whether a Bitcoin address is valid',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'POST', path: '/api/v1/multi-agent/bitcoin/address/validate' },
    input: z.object({ address: inputText.min(1).max(200).describe('The address') }),
    output: z.object({
      valid: z.boolean().describe('True for a well-formed address with a correct checksum'),
      address: z.string().describe('The address that was checked'),
      network: network.describe('Network of a valid address; the first of networks').optional(),
      networks: z
        .array(network)
        .describe('Every network on which the address is valid: the test networks share most addresses'),
      type: z.string().describe('Kind of a valid address, such as v0_p2wpkh').optional(),
      scriptpubkey: z.string().describe('Script in hex that pays to a valid address').optional(),
      reason: z.string().describe('What is wrong with an invalid address').optional(),
    }),
    errors: ['UNIMPLEMENTED'],
    example: {
      input: { address: sampleBitcoinAddress },
      output: {
        valid: true,
        address: sampleBitcoinAddress,
        network: 'mainnet',
        networks: ['mainnet'],
        type: 'v0_p2wpkh',
        scriptpubkey: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
      },
    },
  }),
}
