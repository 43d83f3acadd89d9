import {
  createRequestStateCodec,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  inputRequired,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { DomainError } from '../../../domain/core/errors.ts'
import { isRecord } from '../../../kit/values.ts'

/**
 * What a person was asked: the tool, a digest of its arguments, the quote that the card showed and when that ends, in
 * milliseconds, and the id of the one yes that answers it.
 */
export type Asked = { tool: string; digest: string; quoteId: string; until: number; confirmationId: string }

/** What the person said. A yes that is late begins nothing, for its quote has ended; it may have begun a trade before. */
export type Heard = { asked: Asked; agreed: boolean; isLate: boolean }

/** The person behind the client of one call of a tool. */
export type Dialogue = {
  /** True where the client shows forms. */
  showsForms: boolean
  /** What the person said to the form of the round before; null in the first round. Throws FAILED_PRECONDITION. */
  heard(): Promise<Heard | null>
  /** Shows the card, and asks for a yes. */
  ask(card: string, asked: Asked): Promise<Question>
}

/** An answer that asks a person. The client repeats the call with what the person said. */
export class Question {
  readonly result: InputRequiredResult
  constructor(result: InputRequiredResult) {
    this.result = result
  }
}

export type Codec = RequestStateCodec<Asked>

/** Signs what was asked for the session that asked it. `key` has at least 32 bytes, the same in all processes. */
export function openCodec(key: Uint8Array): Codec {
  return createRequestStateCodec<Asked>({
    key,
    // As long as the key of a trade is stored: an answer that comes again finds its trade.
    ttlSeconds: 30 * 86_400,
    bind: ({ http, mcpReq }) => `${http?.authInfo?.clientId}\0${mcpReq.method}`,
  })
}

const yes = z.object({ action: z.literal('accept'), content: z.object({ confirm: z.literal(true) }) })

const requestedSchema: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: { confirm: { type: 'boolean', title: 'Make this trade', default: false } },
  required: ['confirm'],
}

/** The dialogue of a call. What it hears comes from the client, and is believed only as far as it is signed. */
export function dialogueOf({ codec, now }: { codec: Codec; now: () => Date }, context: ServerContext): Dialogue {
  const { requestState, inputResponses, envelope } = context.mcpReq
  return {
    showsForms: showsForms(envelope),
    async heard() {
      const state = requestState<string>()
      if (state === undefined) return null
      const asked = await codec.verify(state, context).catch((cause: unknown) => {
        throw stale('The answer is to no question of this session.', cause)
      })
      const isLate = asked.until <= now().getTime()
      return { asked, agreed: yes.safeParse(inputResponses?.confirm).success, isLate }
    },
    async ask(card, asked) {
      const confirm = inputRequired.elicit({ message: card, requestedSchema })
      return new Question(inputRequired({ inputRequests: { confirm }, requestState: await codec.mint(asked, context) }))
    },
  }
}

/** A client that says no more than that it elicits shows forms. */
function showsForms(envelope: unknown): boolean {
  const capabilities = isRecord(envelope) ? envelope['io.modelcontextprotocol/clientCapabilities'] : undefined
  const elicitation = isRecord(capabilities) ? capabilities.elicitation : undefined
  return isRecord(elicitation) && ('form' in elicitation || Object.keys(elicitation).length === 0)
}

export function stale(what: string, cause?: unknown): DomainError {
  return new DomainError('FAILED_PRECONDITION', `Nothing was traded. ${what} Call trade again to ask anew.`, {}, cause)
}
