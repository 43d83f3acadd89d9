import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { checkNewPassword } from '../passwords/check-new-password.ts'
import { usualWallet } from '../ports/wallets.ts'
import { startFunding, startingState } from '../wallets/funding.ts'
import { presentToken } from './tokens.ts'

type FundingNeeds = 'chains' | 'grants' | 'sender' | 'signer' | 'wallets'
type Needs = 'accounts' | 'clock' | 'knownAddresses' | 'passwords' | 'tokens' | FundingNeeds

/** Creates the account with its default wallet, which the sandbox then funds. */
export const register: Handler<typeof contract.auth.register, Needs> = async (ports, input, call) => {
  const email = input.email.toLowerCase()
  checkNewPassword(ports.passwords, 'password', input.password, email)
  // Reading first only saves the hashing. Between two concurrent registrations the database decides.
  const known = await ports.accounts.findByEmail(email)
  const account =
    known === null
      ? await ports.accounts.create({
          email,
          passwordHash: await ports.passwords.hash('registration', input.password),
          wallet: (userId) => ports.signer.generate(userId, usualWallet),
          funding: startingState(ports),
          at: ports.clock.now(),
        })
      : null
  if (account === null)
    throw call.fail('ALREADY_EXISTS', 'An account with this e-mail address exists already. Log in instead.')
  await ports.knownAddresses.note(account.id, call.clientAddress, ports.clock.now())
  for (const wallet of await ports.wallets.list(account.id)) startFunding(ports, wallet)
  return { id: account.id, email: account.email, token: presentToken(ports.tokens.issueUser(account)) }
}
