import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { presentToken } from './present-token.ts'

type Needs = 'accounts' | 'clock' | 'knownAddresses' | 'passwords' | 'tokens'

/**
 * Returns a user token. An unknown account and a wrong password get the same message after the same time. Strangers share
 * the wrong passwords that an account allows; each address that it was used from has its own.
 */
export const login: Handler<typeof contract.auth.login, Needs> = async (ports, input, call) => {
  const { accounts, clock, knownAddresses, passwords, tokens } = ports
  const { clientAddress } = call
  const account = await accounts.findByEmail(input.username)
  const isKnown = await knownAddresses.has(account?.id ?? null, clientAddress, clock.now())
  const guess =
    account !== null && isKnown
      ? { whose: `account ${account.id} from ${clientAddress}`, advice: '' }
      : { whose: `e-mail ${input.username.toLowerCase()}`, advice: 'Or log in from where you used the account before.' }
  const hash = account?.passwordHash ?? null
  const matches = await passwords.verify({ line: 'login', password: input.password, hash, ...guess })
  if (account === null || !matches) throw call.fail('UNAUTHENTICATED', 'The e-mail or the password is wrong.')
  await knownAddresses.note(account.id, clientAddress, clock.now())
  return presentToken(tokens.issueUser(account))
}
