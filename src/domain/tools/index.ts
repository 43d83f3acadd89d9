import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../core/handler.ts'
import {
  decodeBitcoinTransaction,
  invokeBitcoin,
  latestBitcoinBlock,
  listBitcoin,
  validateBitcoinAddress,
} from './bitcoin.ts'
import { invokeExchange, listExchange, subscribeExchange, unsubscribeExchange } from './exchange.ts'
import { oraclePrice } from './oracle-price.ts'
import { streamExchange } from './stream-exchange.ts'
import { invokeTvl, listTvl } from './tvl.ts'
import { walletBalance } from './wallet-balance.ts'

export const tools: Handlers<typeof contract.tools> = {
  listTvl,
  invokeTvl,
  listExchange,
  invokeExchange,
  subscribeExchange,
  unsubscribeExchange,
  streamExchange,
  listBitcoin,
  invokeBitcoin,
  latestBitcoinBlock,
  decodeBitcoinTransaction,
  validateBitcoinAddress,
  oraclePrice,
  walletBalance,
}
