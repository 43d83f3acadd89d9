import type { contract } from '../../contract/index.ts'
import { type Handlers, unimplemented } from '../handler.ts'
import { decodeBitcoinTransaction } from './decode-bitcoin-transaction.ts'
import { invokeTvl } from './invoke-tvl.ts'
import { latestBitcoinBlock } from './latest-bitcoin-block.ts'
import { listBitcoin } from './list-bitcoin.ts'
import { listTvl } from './list-tvl.ts'
import { oraclePrice } from './oracle-price.ts'
import { validateBitcoinAddress } from './validate-bitcoin-address.ts'
import { walletBalance } from './wallet-balance.ts'

export const tools: Handlers<typeof contract.tools> = {
  listTvl,
  invokeTvl,
  listExchange: unimplemented,
  subscribeExchange: unimplemented,
  unsubscribeExchange: unimplemented,
  streamExchange: unimplemented,
  listBitcoin,
  latestBitcoinBlock,
  decodeBitcoinTransaction,
  validateBitcoinAddress,
  oraclePrice,
  walletBalance,
}
