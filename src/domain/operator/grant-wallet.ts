import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { addWallet, presentWallet } from '../wallets/wallets.ts'

type Needs = 'accounts' | 'clock' | 'signer' | 'wallets'

/** Lets one account use an address of the remote signer as a wallet. */
export const grantWallet: Handler<typeof contract.operator.grantWallet, Needs> = async (ports, input, call) => {
  const { remoteAccounts } = ports.signer
  if (remoteAccounts === null)
    throw call.fail('FAILED_PRECONDITION', 'No remote signer is connected. Set SIGNER_URL and restart the gateway.')
  const wanted = input.address.toLowerCase()
  const address = (await remoteAccounts()).find((one) => one.toLowerCase() === wanted)
  if (address === undefined)
    throw call.fail('NOT_FOUND', `The remote signer has no account ${input.address}. Add it to the signer first.`)
  const account = await ports.accounts.findByEmail(input.email)
  if (account === null)
    throw call.fail('NOT_FOUND', 'No account has this e-mail address. Its owner must register first.')
  const wallet = { ref: input.wallet_ref, address, sealedKey: null }
  return presentWallet(await addWallet(ports, account.id, wallet, 'none', call.fail))
}
