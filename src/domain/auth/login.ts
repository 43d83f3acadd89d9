import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { presentToken } from './present-token.ts'

type Needs = 'accounts' | 'clock' | 'guesses' | 'knownAddresses' | 'passwords' | 'tokens'

/**
 * Returns a user token. An unknown account and a wrong password get the same message after the same time. Strangers share
 * the wrong passwords that an account allows; each address that it was used from has its own.
 */
export const login: Handler<typeof contract.auth.login, Needs> = async (ports, input, call) => {
  const { accounts, clock, guesses, knownAddresses, passwords, tokens } = ports
  const account = await accounts.findByEmail(input.username)
  const isKnown = await knownAddresses.has(account?.id ?? null, call.clientAddress)
  const whose = `login ${input.username.toLowerCase()}`
  const takeBack = await guesses.count(isKnown ? `${whose} from ${call.clientAddress}` : whose)
  const matches = await passwords.verify('login', input.password, account?.passwordHash ?? null)
  if (account === null || !matches) throw call.fail('UNAUTHENTICATED', 'The e-mail or the password is wrong.')
  await Promise.all([takeBack(), knownAddresses.note(account.id, call.clientAddress, clock.now())])
  return presentToken(tokens.issueUser(account))
}
