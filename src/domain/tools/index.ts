import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../core/handler.ts'
import { decodeBitcoinTransaction } from './decode-bitcoin-transaction.ts'
import { subscribeExchange, unsubscribeExchange } from './exchange-subscriptions.ts'
import { invokeBitcoin } from './invoke-bitcoin.ts'
import { invokeExchange } from './invoke-exchange.ts'
import { invokeTvl } from './invoke-tvl.ts'
import { latestBitcoinBlock } from './latest-bitcoin-block.ts'
import { listBitcoin } from './list-bitcoin.ts'
import { listExchange } from './list-exchange.ts'
import { listTvl } from './list-tvl.ts'
import { oraclePrice } from './oracle-price.ts'
import { streamExchange } from './stream-exchange.ts'
import { validateBitcoinAddress } from './validate-bitcoin-address.ts'
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
