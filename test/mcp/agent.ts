import { type Client, output } from '../clients/client.ts'
import { type Account, fundedAccount } from '../world.ts'

/** An account with money, and the token of a session for an agent. */
export type AgentAccount = { account: Account; agent: string }

/** `more` are further fields of the session's grant, or replace these. */
export async function agentAccount(client: Client, more: object = {}): Promise<AgentAccount> {
  const account = await fundedAccount(client)
  return { account, agent: await agentToken(client, account, more) }
}

export async function agentToken(client: Client, account: Account, more: object = {}): Promise<string> {
  const grant = { scopes: ['read', 'trade'], confirm_above_usd: 100, ...more }
  const session = await output(client.call('auth.createSession', { grant }, account.userToken))
  return session.token.access_token
}
