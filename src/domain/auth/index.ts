import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../core/handler.ts'
import { changePassword } from './change-password.ts'
import { createSession } from './create-session.ts'
import { deleteAccount } from './delete-account.ts'
import { deleteSession } from './delete-session.ts'
import { listSessions } from './list-sessions.ts'
import { login } from './login.ts'
import { logout, logoutEverywhere } from './logout.ts'
import { register } from './register.ts'
import { renameSession } from './rename-session.ts'

/** The handlers of the auth group. */
export const auth: Handlers<typeof contract.auth> = {
  register,
  login,
  createSession,
  listSessions,
  renameSession,
  deleteSession,
  changePassword,
  deleteAccount,
  logout,
  logoutEverywhere,
}
