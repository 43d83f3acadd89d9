import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../core/handler.ts'
import { deleteAccount, register } from './accounts.ts'
import { createSession, deleteSession, listSessions, renameSession } from './sessions.ts'
import { changePassword, login, logout, logoutEverywhere } from './tokens.ts'

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
