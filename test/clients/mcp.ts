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

/** The official client over HTTP. */
export async function mcpClient(http: string, token: string, era: Era = 'auto'): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: era } })
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
