import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** The revision that the official client negotiates: the newest, or the handshake of clients of 2025. */
export type Era = 'auto' | 'legacy'

/** The result of a tool, as a test reads it. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every tool pass through here
export type ToolAnswer = { value: any; text: string; refused: boolean }

export type McpClient = AsyncDisposable & {
  client: Client
  tools(): Promise<string[]>
  call(name: string, given?: object): Promise<ToolAnswer>
}

/** What a person answers to the form that shows a card. */
export type Person = (card: string) => { action: 'accept' | 'decline' | 'cancel'; content?: { confirm: boolean } }

export const agrees: Person = () => ({ action: 'accept', content: { confirm: true } })

/** The official client; with a person it shows forms. */
export function officialClient(era: Era, person?: Person): Client {
  const capabilities = person === undefined ? {} : { elicitation: { form: {} } }
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: era }, capabilities })
  if (person !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params: { message } }) => person(message))
  return client
}

/** The official client over HTTP. */
export async function mcpClient(http: string, token: string, era: Era = 'auto', person?: Person): Promise<McpClient> {
  const client = officialClient(era, person)
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', http), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  )
  return overClient(client)
}

export function overClient(client: Client): McpClient {
  return {
    client,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, given = {}) {
      const { structuredContent, content, isError } = await client.callTool({ name, arguments: { ...given } })
      const text = content.map((part) => ('text' in part ? part.text : '')).join('\n')
      return { value: structuredContent, text, refused: isError === true }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** Sends one body to MCP as it is, such as a batch or what no client would send. */
export async function sendMcp(http: string, token: string | null, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(new URL('/mcp', http), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** One round of a tool's call in the newest revision, as it stands on the wire. */
export type Round = {
  name: string
  given: object
  /** What the client can do; with `elicitation` it shows forms. */
  capabilities?: object
  requestState?: string
  inputResponses?: object
}

const revision = '2026-07-28'

/** What every request of the newest revision says of its client. */
export function newestMeta(capabilities: object = {}) {
  return {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
}

/** Sends one round of a tool's call, and returns its result, or the error in its place. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every tool pass through here
export async function sendRound(http: string, token: string, round: Round): Promise<any> {
  const { name, given, capabilities = { elicitation: {} }, requestState, inputResponses } = round
  const params = { name, arguments: given, _meta: newestMeta(capabilities), requestState, inputResponses }
  const { text } = await sendMcp(
    http,
    token,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    { 'mcp-protocol-version': revision, 'mcp-method': 'tools/call', 'mcp-name': name },
  )
  const { result, error } = JSON.parse(text)
  return result ?? { error }
}
