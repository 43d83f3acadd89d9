import { Client as McpLibrary, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Client, output } from '../clients/client.ts'
import { type McpClient, overClient } from '../clients/mcp.ts'
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

/** The official client that shows forms, with a person who says yes to each. */
export async function yesClient(http: string, token: string): Promise<McpClient> {
  const capabilities = { elicitation: { form: {} } }
  const client = new McpLibrary(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' }, capabilities },
  )
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { confirm: true } }))
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', http), { requestInit }))
  return overClient(client)
}
