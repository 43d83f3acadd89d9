import { z } from 'zod'
import { hash, quantity } from '../shared/primitives.ts'
import {
  blockHash,
  exampleBlock,
  exampleHeader,
  exampleReceipt,
  exampleTransaction,
  transactionHash,
} from './examples.ts'
import { inputData } from './inputs.ts'
import { atBlock, namedBlock, node, numberedBlock } from './node.ts'
import { block, plainHeader, receipt, transaction } from './values.ts'

/** Blocks, transactions and receipts. For an unknown block or hash a lookup returns null; a count or list is NOT_FOUND, which is null over JSON-RPC. */

const byHash = hash.describe('Hash of the block')
const index = quantity.describe('Index in the block, from 0x0')
const fullTransactions = z.boolean().describe('Whole transactions instead of their hashes').default(false)
const signed = 'A signed transaction in its encoded form'

export const chainBlocks = {
  blockNumber: node('eth_blockNumber', {
    summary: 'Number of the latest block',
    params: {},
    output: quantity,
    example: { input: {}, output: '0x1b4' },
  }),
  getBlockByNumber: node('eth_getBlockByNumber', {
    summary: 'A block by number or tag',
    params: { block: numberedBlock, fullTransactions },
    output: block.nullable(),
    example: { input: { block: 'latest', fullTransactions: false }, output: exampleBlock },
  }),
  getBlockByHash: node('eth_getBlockByHash', {
    summary: 'A block by hash',
    params: { hash: byHash, fullTransactions },
    output: block.nullable(),
    example: {
      input: { hash: blockHash, fullTransactions: true },
      output: { ...exampleBlock, transactions: [exampleTransaction] },
    },
  }),
  getHeaderByNumber: node('eth_getHeaderByNumber', {
    summary: 'The header of a block by number or tag',
    params: { block: numberedBlock },
    output: plainHeader.nullable(),
    example: { input: { block: 'latest' }, output: exampleHeader },
  }),
  getHeaderByHash: node('eth_getHeaderByHash', {
    summary: 'The header of a block by hash',
    params: { hash: byHash },
    output: plainHeader.nullable(),
    example: { input: { hash: blockHash }, output: exampleHeader },
  }),
  getBlockTransactionCountByNumber: node('eth_getBlockTransactionCountByNumber', {
    summary: 'Number of transactions in a block, by number or tag',
    params: { block: atBlock },
    output: quantity,
    errors: ['NOT_FOUND'],
    orNull: true,
    example: { input: { block: '0x1b4' }, output: '0x1' },
  }),
  getBlockTransactionCountByHash: node('eth_getBlockTransactionCountByHash', {
    summary: 'Number of transactions in a block, by hash',
    params: { hash: byHash },
    output: quantity,
    errors: ['NOT_FOUND'],
    orNull: true,
    example: { input: { hash: blockHash }, output: '0x1' },
  }),
  getUncleCountByBlockNumber: node('eth_getUncleCountByBlockNumber', {
    summary: 'Number of uncles of a block, by number or tag; a rollup block has none',
    params: { block: atBlock },
    output: quantity,
    errors: ['NOT_FOUND'],
    orNull: true,
    example: { input: { block: '0x1b4' }, output: '0x0' },
  }),
  getUncleCountByBlockHash: node('eth_getUncleCountByBlockHash', {
    summary: 'Number of uncles of a block, by hash; a rollup block has none',
    params: { hash: byHash },
    output: quantity,
    errors: ['NOT_FOUND'],
    orNull: true,
    example: { input: { hash: blockHash }, output: '0x0' },
  }),
  getBlockReceipts: node('eth_getBlockReceipts', {
    summary: 'The receipts of every transaction of a block',
    params: { block: namedBlock },
    output: z.array(receipt),
    errors: ['NOT_FOUND'],
    orNull: true,
    example: { input: { block: '0x1b4' }, output: [exampleReceipt] },
  }),
  getTransactionByHash: node('eth_getTransactionByHash', {
    summary: 'A transaction by hash, mined or pending',
    params: { hash: hash.describe('Hash of the transaction') },
    output: transaction.nullable(),
    example: { input: { hash: transactionHash }, output: exampleTransaction },
  }),
  getTransactionByBlockHashAndIndex: node('eth_getTransactionByBlockHashAndIndex', {
    summary: 'A transaction by its index in a block, by block hash',
    params: { hash: byHash, index },
    output: transaction.nullable(),
    example: { input: { hash: blockHash, index: '0x0' }, output: exampleTransaction },
  }),
  getTransactionByBlockNumberAndIndex: node('eth_getTransactionByBlockNumberAndIndex', {
    summary: 'A transaction by its index in a block, by block number or tag',
    params: { block: numberedBlock, index },
    output: transaction.nullable(),
    example: { input: { block: '0x1b4', index: '0x0' }, output: exampleTransaction },
  }),
  getTransactionReceipt: node('eth_getTransactionReceipt', {
    summary: 'The receipt of an included transaction',
    params: { hash: hash.describe('Hash of the transaction') },
    output: receipt.nullable(),
    example: { input: { hash: transactionHash }, output: exampleReceipt },
  }),
  sendRawTransaction: node('eth_sendRawTransaction', {
    summary: 'Sends a signed transaction and returns its hash',
    params: { transaction: inputData.min(4).describe(signed) },
    changes: true,
    output: hash,
    errors: ['TRANSACTION_REJECTED'],
    example: { input: { transaction: '0x02f86c83014a3480843b9aca00' }, output: transactionHash },
  }),
  sendRawTransactionSync: node('eth_sendRawTransactionSync', {
    summary: 'Sends a signed transaction and returns its receipt once it is in a block (EIP-7966)',
    description:
      'NOT_INCLUDED_YET if it is in no block within that time, or if that cannot be determined: it stays accepted, and its hash is in `data`. The same call waits again.',
    params: {
      transaction: inputData.min(4).describe(signed),
      timeout: z.int32().min(1).describe('Milliseconds to wait: 10,000 by default, at most 30,000').optional(),
    },
    changes: true,
    output: receipt,
    errors: ['NOT_INCLUDED_YET', 'TRANSACTION_REJECTED'],
    example: { input: { transaction: '0x02f86c83014a3480843b9aca00', timeout: 5_000 }, output: exampleReceipt },
  }),
}
