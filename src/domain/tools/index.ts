import type { contract } from '../../contract/index.ts'
import { type Handlers, unimplemented } from '../handler.ts'
import { invokeTvl } from './invoke-tvl.ts'
import { listTvl } from './list-tvl.ts'
import { oraclePrice } from './oracle-price.ts'
import { walletBalance } from './wallet-balance.ts'

export const tools: Handlers<typeof contract.tools> = {
  listTvl,
  invokeTvl,
  listExchange: unimplemented,
  subscribeExchange: unimplemented,
  unsubscribeExchange: unimplemented,
  streamExchange: unimplemented,
  listBitcoin: unimplemented,
  latestBitcoinBlock: unimplemented,
  decodeBitcoinTransaction: unimplemented,
  validateBitcoinAddress: unimplemented,
  oraclePrice,
  walletBalance,
}
