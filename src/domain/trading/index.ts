import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../handler.ts'
import { assessRisk } from './assess-risk.ts'
import { createWallet } from './create-wallet.ts'
import { execute } from './execute.ts'
import { exportWallet } from './export-wallet.ts'
import { getExecution } from './get-execution.ts'
import { importWallet } from './import-wallet.ts'
import { listChains } from './list-chains.ts'
import { listExecutions } from './list-executions.ts'
import { listWallets } from './list-wallets.ts'
import { previewIntent } from './preview-intent.ts'
import { previewRun } from './preview-run.ts'
import { quote } from './quote.ts'
import { getWalletPolicy, setWalletPolicy } from './wallet-policy.ts'
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
