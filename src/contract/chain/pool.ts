import { z } from 'zod'
import { address, quantity } from '../shared/primitives.ts'
import { alice, waitingTransaction } from './examples.ts'
import { node } from './node.ts'
import { transaction } from './values.ts'

/** The transactions that wait for a block, as go-ethereum shows them. */

/** What the pool has of each account, by its address and the nonce in decimal digits. */
function byAccount<T extends z.ZodType>(shown: T, what: string) {
  const accounts = z.record(z.string(), z.record(z.string(), shown))
  return z.object({
    pending: accounts.meta({ proto: 'struct', description: `${what} that the next block may have` }),
    queued: accounts.meta({ proto: 'struct', description: `${what} that wait for an earlier nonce` }),
  })
}

const nonces = z.record(z.string(), transaction)

const checksummed = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const inspected = '0x5FbDB2315678afecb367f032d93F642f64180aa3: 0 wei + 100000 gas × 2000000000 wei'

export const chainPool = {
  txpoolStatus: node('txpool_status', {
    summary: 'How many transactions wait for a block',
    params: {},
    output: z
      .object({
        pending: quantity.describe('Those that the next block may have'),
        queued: quantity.describe('Those that wait for an earlier nonce'),
      })
      .meta({ id: 'PoolStatus', description: 'The number of transactions that wait for a block' }),
    example: { input: {}, output: { pending: '0x1', queued: '0x0' } },
  }),
  txpoolContent: node('txpool_content', {
    summary: 'The transactions that wait for a block, by account and nonce',
    description:
      'LIMIT_EXCEEDED for more than 10,000 transactions, and on the embedded chain for more than 4 MiB of signed ones: ' +
      'request those of one account, or the texts. Each hundred counts as a million gas.',
    work: true,
    params: {},
    output: byAccount(transaction, 'Transactions').meta({ id: 'PoolContent', description: 'What waits for a block' }),
    example: { input: {}, output: { pending: { [checksummed]: { '7': waitingTransaction } }, queued: {} } },
  }),
  txpoolContentFrom: node('txpool_contentFrom', {
    summary: 'The transactions of an account that wait for a block, by nonce',
    description: 'It is bounded, and counts, as that of all accounts.',
    work: true,
    params: { address: address.describe('The sender') },
    output: z
      .object({
        pending: nonces.meta({ proto: 'struct', description: 'Those that the next block may have' }),
        queued: nonces.meta({ proto: 'struct', description: 'Those that wait for an earlier nonce' }),
      })
      .meta({ id: 'AccountPoolContent', description: 'What waits for a block, of one account' }),
    example: { input: { address: alice }, output: { pending: { '7': waitingTransaction }, queued: {} } },
  }),
  txpoolInspect: node('txpool_inspect', {
    summary: 'The transactions that wait for a block, each as a text, by account and nonce',
    description: 'LIMIT_EXCEEDED for more than 10,000 transactions. Each hundred counts as a million gas.',
    work: true,
    params: {},
    output: byAccount(z.string(), 'Texts of transactions').meta({
      id: 'PoolInspection',
      description: 'What waits for a block: recipient, value, gas and the most that it pays for gas',
    }),
    example: { input: {}, output: { pending: { [checksummed]: { '7': inspected } }, queued: {} } },
  }),
}
