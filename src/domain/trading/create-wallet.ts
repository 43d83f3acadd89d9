import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/limits.ts'
import type { Handler } from '../handler.ts'
import { startFunding, startingState } from './funding.ts'
import { presentWallet } from './list-wallets.ts'

type Needs = 'chains' | 'clock' | 'grants' | 'sender' | 'signer' | 'wallets'

/** Makes a wallet, which the sandbox then funds. */
export const createWallet: Handler<typeof contract.trading.createWallet, Needs> = async (ports, input, call) => {
  const most = bounds.walletsPerAccount
  const sealed = ports.signer.generate(input.wallet_ref)
  const wallet = await ports.wallets.create(
    call.principal.userId,
    sealed,
    startingState(ports),
    ports.clock.now(),
    most,
  )
  if (wallet === 'taken')
    throw call.fail('ALREADY_EXISTS', `You have a wallet ${input.wallet_ref}; choose another name.`)
  if (wallet === null) throw call.fail('FAILED_PRECONDITION', `You have ${most} wallets already; use one of them.`)
  startFunding(ports, wallet)
  return presentWallet(wallet)
}
