import type { contract } from '../../contract/index.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { checkNewPassword } from '../passwords/check-new-password.ts'
import { isOwnPassword, type OwnPasswordNeeds } from '../passwords/own-password.ts'

/** An issued token as every protocol shows it. */
export function presentToken(issued: { accessToken: string; expiresAt: Date }) {
  return {
    access_token: issued.accessToken,
    token_type: 'bearer' as const,
    expires_at: issued.expiresAt.toISOString(),
  }
}

type LoginNeeds = 'accounts' | 'clock' | 'knownAddresses' | 'passwords' | 'tokens'

/**
 * Returns a user token. An unknown account and a wrong password get the same message after the same time. Strangers share
 * the wrong passwords that an account allows; each address that it was used from has its own.
 */
export const login: Handler<typeof contract.auth.login, LoginNeeds> = async (ports, input, call) => {
  const { accounts, clock, knownAddresses, passwords, tokens } = ports
  // Behind a proxy that is not trusted all callers share an address, by which none of them can be known.
  const { clientAddress, ownAddress: own } = call
  const account = await accounts.findByEmail(input.username)
  const isKnown = own !== null && (await knownAddresses.has(account?.id ?? null, own, clock.now()))
  const guess =
    account !== null && isKnown
      ? { whose: `account ${account.id} from ${own}`, advice: '' }
      : { whose: `e-mail ${input.username.toLowerCase()}`, advice: 'Or log in from where you used the account before.' }
  const hash = account?.passwordHash ?? null
  const given = { line: 'login', password: input.password, hash, address: clientAddress } as const
  const matches = await passwords.verify({ ...given, ...guess })
  if (account === null || !matches) throw call.fail('UNAUTHENTICATED', 'The e-mail or the password is wrong.')
  if (own !== null) await knownAddresses.note(account.id, own, clock.now())
  return presentToken(tokens.issueUser(account))
}

type ChangeNeeds = 'accounts' | 'tokens' | OwnPasswordNeeds

/** Replaces the password and ends all tokens; a token alone is not enough, for it may be stolen. */
export const changePassword: Handler<typeof contract.auth.changePassword, ChangeNeeds> = async (ports, input, call) => {
  const { userId } = call.principal
  const { accounts, passwords, tokens } = ports
  const account = await accounts.find(userId)
  await checkNewPassword(passwords, 'new_password', input.new_password, account?.email ?? '')
  if (input.new_password === input.current_password)
    throw invalid('new_password', 'is the present password: choose another')
  const before = await accounts.passwordHash(userId)
  const generation =
    before !== null && (await isOwnPassword(ports, call.principal, before, input.current_password))
      ? await accounts.changePassword(userId, before, await passwords.hash('account', input.new_password))
      : null
  if (generation === null) throw call.fail('PERMISSION_DENIED', 'current_password is not the password of your account.')
  return presentToken(tokens.issueUser({ id: userId, generation }))
}

/** Ends the token of the request. */
export const logout: Handler<typeof contract.auth.logout, 'accounts' | 'clock'> = async (ports, _input, call) => {
  await ports.accounts.revoke(call.principal.token, ports.clock.now())
  return {}
}

/** Ends all tokens of the account, with a session and without one. */
export const logoutEverywhere: Handler<typeof contract.auth.logoutEverywhere, 'accounts'> = async (
  ports,
  _input,
  call,
) => {
  await ports.accounts.endTokens(call.principal.userId)
  return {}
}
