import { z } from 'zod'
import { bounds } from './limits.ts'
import { freeInput, freeObject, inputText } from './primitives.ts'

/** Values and objects that several operations share. Objects with an `id` become named components on every protocol. */

/** A non-negative amount of any token that exists, up to 78 digits before and after the point. */
export const amount = z
  .string()
  .regex(
    /^\d{1,78}(\.\d{1,78})?$/,
    'a non-negative decimal such as 1.5, with at most 78 digits on each side of the point',
  )

/** An amount like `amount`, with an optional minus sign. */
export const signedAmount = z.string().regex(/^-?\d{1,78}(\.\d{1,78})?$/, 'a decimal such as -1.5')

export const chainId = z
  .int()
  .min(1)
  .max(Number.MAX_SAFE_INTEGER)
  .describe('Id of the chain, as listed by trading.listChains')

export const walletRef = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, '1 to 64 letters, digits, underscores or hyphens')
  .describe('Name of one of your wallets; every account has "default"')

export const wallet = z
  .object({
    wallet_ref: z.string().describe('Name of the wallet'),
    address: z.string().describe('Address of the wallet'),
    funded: z
      .boolean()
      .describe(
        'True once the starting funds from the gateway are mined; false for a wallet that receives none, such as an imported one',
      ),
    custody: z
      .enum(['gateway', 'remote_signer'])
      .meta({ message: 'WalletCustody' })
      .describe('Who holds its key: the gateway, encrypted, or a signer that the operator connected'),
    funding_error: z
      .string()
      .optional()
      .describe(
        'Why its sandbox funds did not arrive, and when the payment is repeated; absent unless a payment failed',
      ),
  })
  .meta({ id: 'Wallet', description: 'A wallet of the account' })

/** What a caller names a trade by, so that it is made once. */
export const idempotencyKey = inputText.min(1).max(128)

export const agentName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, '1 to 64 letters, digits, dots, underscores or hyphens')
  .describe('Label of your choice that a trade is booked under, such as trading_team; it proves no identity')

/**
 * A name that people read. Control characters and those that turn the direction of text are refused, so that a name cannot
 * pose as another or change the line that it stands in.
 */
export const displayName = z.string().regex(
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused, in the notation that most languages read
  /^[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$/,
  'a text without control characters and without characters that turn its direction',
)

export const quoteId = inputText.min(1).max(100).toLowerCase().describe('quote_id of an earlier quote')

/** Text from a person, at most as long as a chat message. */
export const freeText = inputText.min(1).max(bounds.messageCharacters)

/** A chain's own name, the name the providers use for it, or its id as text. */
export const chainName = inputText.min(1).max(64).describe('Name or id of the chain')

/** The id of an event: visible characters, which can be the id of a server-sent event. */
export const eventId = z.string().regex(/^[\x21-\x7e]{1,100}$/, '1 to 100 visible ASCII characters')

/** The id of the last event that a reader of a stream received. */
export const lastEventId = inputText
  .max(100)
  .toLowerCase()
  .describe('Id of the last event received; the stream resumes after it')

export const haltScope = z
  .enum(['global', 'chain', 'wallet'])
  .meta({ message: 'HaltScope' })
  .describe('Scope of the halt: everything, a chain or a wallet')

export const source = z.string().describe('Where the data came from')

/** Age of a provider's response: 0 where it was just read. */
export const ageMs = z.int().min(0).describe('Age of the response in milliseconds; 0 where it was just read')

export const latencyMs = z.int().min(0).describe('Duration of the request in milliseconds')

/** The name of a tool of a table; documents list the names. The tools check it, whose refusal can name another operation. */
export function toolName(table: object) {
  return z
    .string()
    .min(1)
    .max(64)
    .meta({ enum: Object.keys(table) })
}

/** A call of a tool of a provider's table; `examples` names some. */
export function toolInvocation(table: object, examples: string) {
  return z.object({
    tool_name: toolName(table).describe(`Name of the tool, such as ${examples}`),
    arguments: freeInput.describe('Arguments of the tool'),
  })
}

export const toolResult = z
  .object({
    tool: z.string().describe('Name of the tool'),
    result: freeObject.describe('The result of the tool'),
    source: source.optional(),
    age_ms: ageMs.optional(),
    latency_ms: latencyMs.optional(),
  })
  .meta({ id: 'ToolResult', description: 'The result of a tool' })

export const toolList = z.object({
  tools: z
    .array(
      z
        .object({
          name: z.string().describe('Name of the tool'),
          description: z.string().describe('What the tool returns'),
          input_schema: freeObject.describe('JSON Schema of its arguments'),
        })
        .meta({ id: 'ToolDescription', description: 'A tool and how to call it' }),
    )
    .describe('The available tools'),
})

export const executionStatus = z
  .enum(['success', 'simulated', 'pending', 'failed', 'rejected'])
  .meta({ message: 'ExecutionStatus' })
  .describe(
    'success: mined; simulated: only simulated; pending: sent and not mined yet, or waiting for the account; failed: it would fail, or was mined without effect; ' +
      'rejected: refused by risk, limits or funds, or by the account',
  )

/** Tokens that a total in US dollars leaves out. */
export const unpriced = z
  .array(z.string())
  .describe('Symbols of held tokens without a feed, or with a feed older than its heartbeat; the total leaves them out')
