import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { presentToken } from './present-token.ts'

type Needs = 'accounts' | 'passwords' | 'tokens'

/** Returns a user token. An unknown account and a wrong password get the same message after the same time. */
export const login: Handler<typeof contract.auth.login, Needs> = async (ports, input, call) => {
  const account = await ports.accounts.findByEmail(input.username)
  const matches = await ports.passwords.verify(input.password, account?.passwordHash ?? null)
  if (account === null || !matches) throw call.fail('UNAUTHENTICATED', 'The e-mail or the password is wrong.')
  return presentToken(ports.tokens.issueUser(account))
}
