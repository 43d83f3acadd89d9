import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { addWallet } from './add-wallet.ts'
import { startFunding, startingState } from './funding.ts'
import { presentWallet } from './list-wallets.ts'

type Needs = 'chains' | 'clock' | 'grants' | 'sender' | 'signer' | 'wallets'

/** Creates a wallet, which the sandbox then funds. */
export const createWallet: Handler<typeof contract.trading.createWallet, Needs> = async (ports, input, call) => {
  const { userId } = call.principal
  const sealed = ports.signer.generate(userId, input.wallet_ref)
  const wallet = await addWallet(ports, userId, sealed, startingState(ports), call.fail)
  startFunding(ports, wallet)
  return presentWallet(wallet)
}
