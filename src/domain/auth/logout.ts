import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'

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
