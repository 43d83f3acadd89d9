import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { usualWallet } from '../ports/wallets.ts'
import { startFunding, startingState } from '../wallets/funding.ts'
import { tokenAnswer } from './token-answer.ts'

type FundingNeeds = 'chains' | 'grants' | 'sender' | 'signer' | 'wallets'
type Needs = 'accounts' | 'clock' | 'passwords' | 'tokens' | FundingNeeds

/** Creates the account with its default wallet, which the sandbox then funds. */
export const register: Handler<typeof contract.auth.register, Needs> = async (ports, input, call) => {
  const email = input.email.toLowerCase()
  // Read first only to save the hashing; of two concurrent registrations the database decides.
  const known = await ports.accounts.findByEmail(email)
  const account =
    known === null
      ? await ports.accounts.create({
          email,
          passwordHash: await ports.passwords.hash(input.password),
          wallet: ports.signer.generate(usualWallet),
          funding: startingState(ports),
          at: ports.clock.now(),
        })
      : null
  if (account === null) throw call.fail('ALREADY_EXISTS', 'This e-mail has an account already. Log in instead.')
  for (const wallet of await ports.wallets.list(account.id)) startFunding(ports, wallet)
  return { id: account.id, email: account.email, token: tokenAnswer(ports.tokens.issueUser(account.id)) }
}
