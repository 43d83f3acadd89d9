import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../core/handler.ts'
import { getWalletPolicy, setWalletPolicy } from '../policies/wallet-policy.ts'
import { previewIntent } from '../previews/preview-intent.ts'
import { previewRun } from '../previews/preview-run.ts'
import { quote } from '../quoting/quote.ts'
import { assessRisk } from '../risk/assess-risk.ts'
import { createWallet, exportWallet, importWallet, listWallets } from '../wallets/wallets.ts'
import { getExecution } from './get-execution.ts'
import { listChains } from './list-chains.ts'
import { listExecutions } from './list-executions.ts'
import { execute } from './trade.ts'
import { watchExecution } from './watch-execution.ts'

export const trading: Handlers<typeof contract.trading> = {
  quote,
  assessRisk,
  execute,
  previewIntent,
  previewRun,
  listChains,
  getExecution,
  listExecutions,
  watchExecution,
  listWallets,
  createWallet,
  importWallet,
  exportWallet,
  setWalletPolicy,
  getWalletPolicy,
}
