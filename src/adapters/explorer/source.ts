import type { Address } from 'viem'
import type { Deployment } from '../chain/reads/deployment.ts'
import { readAddress } from './address.ts'
import { readBlock, readNewest, readPlacedBlock, sentOf } from './blocks.ts'
import type { CallNode } from './node.ts'
import { createParties } from './parties.ts'
import { readTransaction } from './transaction.ts'

/** The data of the explorer pages, read from a node and the deployment table. */
export function explorerSource(callNode: CallNode, deployment: Deployment) {
  const parties = createParties(callNode, deployment)
  const symbol = deployment.native_symbol

  return {
    newest: async () => ({ ...(await readNewest(callNode, parties)), nativeSymbol: symbol }),
    async block(id: string) {
      const block = await readPlacedBlock(callNode, /^\d/.test(id) && id.length < 66 ? BigInt(id) : id)
      if (block === null) return null
      const transactions = block.transactions.map((one) => sentOf(one, parties))
      return { ...block, transactions, nativeSymbol: symbol }
    },
    async kindOf(hash: string) {
      const [block, transaction] = await Promise.all([
        readBlock(callNode, hash),
        callNode('eth_getTransactionByHash', hash),
      ])
      return block !== null ? ('block' as const) : transaction !== null ? ('transaction' as const) : null
    },
    tokenOf(wanted: string) {
      const found = deployment.tokens.find((one) => one.symbol.toLowerCase() === wanted.toLowerCase())
      return found?.address.toLowerCase() ?? null
    },
    transaction: async (hash: string) => await readTransaction(callNode, parties, deployment, hash),
    address: async (address: string) => await readAddress(callNode, parties, deployment, address as Address),
  }
}
