import type { Contract } from '../contract/index.ts'
import { deleteAccount, register } from './auth/accounts.ts'
import { createSession, deleteSession, listSessions, renameSession } from './auth/sessions.ts'
import { changePassword, login, logout, logoutEverywhere } from './auth/tokens.ts'
import { whoAmI } from './auth/who-am-i.ts'
import { clear, history, resume, send, stop, stream } from './chat/answers.ts'
import type { AnyHandler, Handlers } from './core/handler.ts'
import { watchAccount } from './live/watch-account.ts'
import { watchQuote } from './live/watch-quote.ts'
import { listClosedTrades } from './metrics/closed-trades.ts'
import { positions, realizedPnl, tvl, unrealizedPnl, volume } from './metrics/metrics.ts'
import { profitSeries, volumeSeries } from './metrics/series.ts'
import { chain } from './node/index.ts'
import { grantWallet, haltTrading, listHalts, resumeTrading } from './operator/operator.ts'
import { chainHealth, getCaps, listQueues } from './operator/reads.ts'
import { setSandboxMarket, setSandboxPrice } from './operator/sandbox-market.ts'
import { getWalletPolicy, setWalletPolicy } from './policies/wallet-policy.ts'
import { previewIntent } from './previews/preview-intent.ts'
import { previewRun } from './previews/preview-run.ts'
import { quote } from './quoting/quote.ts'
import { preview } from './research/preview.ts'
import { assessRisk } from './risk/assess-risk.ts'
import { info } from './system/info.ts'
import {
  decodeBitcoinTransaction,
  invokeBitcoin,
  latestBitcoinBlock,
  listBitcoin,
  validateBitcoinAddress,
} from './tools/bitcoin.ts'
import { oraclePrice, walletBalance } from './tools/chain-reads.ts'
import { invokeExchange, listExchange, subscribeExchange, unsubscribeExchange } from './tools/exchange.ts'
import { streamExchange } from './tools/stream-exchange.ts'
import { invokeTvl, listTvl } from './tools/tvl-tools.ts'
import { confirmExecution } from './trading/confirm-execution.ts'
import { getExecution, listExecutions, watchExecution } from './trading/executions.ts'
import { listChains } from './trading/list-chains.ts'
import { getTimeline } from './trading/timeline.ts'
import { execute } from './trading/trade.ts'
import { createWallet, exportWallet, importWallet, listWallets } from './wallets/wallets.ts'

/** The handler of every operation; one that is missing or has the wrong shape does not compile. */
export const handlers: { [Group in keyof Contract]: Handlers<Contract[Group]> } = {
  auth: {
    register,
    login,
    createSession,
    whoAmI,
    listSessions,
    renameSession,
    deleteSession,
    changePassword,
    deleteAccount,
    logout,
    logoutEverywhere,
  },
  chat: { send, stream, resume, stop, history, clear },
  research: { preview },
  trading: {
    quote,
    assessRisk,
    execute,
    previewIntent,
    previewRun,
    listChains,
    getExecution,
    confirmExecution,
    listExecutions,
    getTimeline,
    watchExecution,
    watchAccount,
    watchQuote,
    listWallets,
    createWallet,
    importWallet,
    exportWallet,
    setWalletPolicy,
    getWalletPolicy,
  },
  tools: {
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
  },
  metrics: { positions, volume, realizedPnl, unrealizedPnl, tvl, listClosedTrades, volumeSeries, profitSeries },
  chain, // in a table of its own, because most of its handlers are forwarded
  operator: {
    chainHealth,
    listQueues,
    getCaps,
    haltTrading,
    resumeTrading,
    listHalts,
    grantWallet,
    setSandboxPrice,
    setSandboxMarket,
  },
  system: { info },
}

/** The handlers by operation id, as the gateway looks them up. */
export function handlersById(): ReadonlyMap<string, AnyHandler> {
  const flat = Object.entries(handlers).flatMap(([group, members]) =>
    Object.entries(members).map(([key, handler]) => [`${group}.${key}`, handler as AnyHandler] as const),
  )
  return new Map(flat)
}
