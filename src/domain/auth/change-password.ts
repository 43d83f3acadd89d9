import type { contract } from '../../contract/index.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { checkNewPassword } from '../passwords/check-new-password.ts'
import { isOwnPassword } from '../passwords/own-password.ts'
import { presentToken } from './present-token.ts'

type Needs = 'accounts' | 'passwords' | 'tokens'

/** Replaces the password and ends all tokens; a token alone is not enough, for it may be stolen. */
export const changePassword: Handler<typeof contract.auth.changePassword, Needs> = async (ports, input, call) => {
  const { userId } = call.principal
  const { accounts, passwords, tokens } = ports
  const account = await accounts.find(userId)
  checkNewPassword(passwords, 'new_password', input.new_password, account?.email ?? '')
  if (input.new_password === input.current_password)
    throw invalid('new_password', 'is the present password: choose another')
  const before = await accounts.passwordHash(userId)
  const generation =
    before !== null && (await isOwnPassword(ports, userId, before, input.current_password))
      ? await accounts.changePassword(userId, before, await passwords.hash('account', input.new_password))
      : null
  if (generation === null) throw call.fail('PERMISSION_DENIED', 'current_password is not the password of your account.')
  return presentToken(tokens.issueUser({ id: userId, generation }))
}
