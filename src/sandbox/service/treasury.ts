import { type Hex, parseTransaction, type TransactionSerializable } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { RpcError } from '../kit/rpc-error.ts'

/** The account that funds wallets and pays the faucet; it signs the bytes of unsigned transactions. */
export type Treasury = { address: Hex; sign: (unsigned: Hex) => Promise<Hex> }

/** The treasury whose key stays in this process. It signs transactions of its own chain alone; others are an RpcError. */
export function createTreasury(key: Hex, chainId: number): Treasury {
  const account = privateKeyToAccount(key)
  return {
    address: account.address,
    async sign(unsigned) {
      const transaction = parseTransaction(unsigned) as TransactionSerializable
      if (transaction.chainId !== chainId)
        throw new RpcError(-32602, `the transaction is of chain ${transaction.chainId}, not of ${chainId}`)
      return await account.signTransaction(transaction)
    },
  }
}
