import { openSessions } from '../../src/adapters/storage/accounts/sessions.ts'
import { openChatStreams } from '../../src/adapters/storage/chat/chat-streams.ts'
import { openMessages } from '../../src/adapters/storage/chat/messages.ts'
import { openOffers } from '../../src/adapters/storage/chat/offers.ts'
import { contract } from '../../src/contract/index.ts'
import { send } from '../../src/domain/chat/answers.ts'
import { createEmbeddedRules } from '../../src/domain/chat/rules/embedded-rules.ts'
import { callOf } from '../../src/domain/core/handler.ts'
import { vocabularyOf } from '../../src/domain/intent/reading/vocabulary.ts'
import type { Assistant } from '../../src/domain/ports/assistant.ts'
import type { Hex } from '../../src/domain/ports/chains.ts'
import type { Message } from '../../src/domain/ports/conversations.ts'
import type { Ports } from '../../src/domain/ports/index.ts'
import { clockAt } from '../clock.ts'
import { openTradingWorld, type TradingWorld } from '../trading/world.ts'

export type ChatWorld = Awaited<ReturnType<typeof openChatWorld>>

/** A user who chats in a session. */
export type Talker = { userId: number; address: Hex; sessionId: string }

/** The real domain, stores and chain, with a chat whose assistant and clock the test chooses. */
export async function openChatWorld() {
  const world = await openTradingWorld()
  const { database } = world
  const stores = {
    chatStreams: openChatStreams(database),
    messages: openMessages(database),
    offers: openOffers(database),
    sessions: openSessions(database),
  }
  let skewMs = 0
  const clock = clockAt(() => new Date(Date.now() + skewMs))
  const rules = createEmbeddedRules(vocabularyOf(world.ports.chains), clock)
  const people = together(world.person, 8)
  const portsWith = (more: Partial<Ports>): Ports => ({ ...world.ports, ...stores, clock, assistant: rules, ...more })

  return {
    ...world,
    rules,
    stores,
    portsWith,
    /** Sets the domain's clock ahead. */
    wait: (ms: number) => {
      skewMs += ms
    },
    async talker(person?: { userId: number; address: Hex }): Promise<Talker> {
      const { userId, address } = person ?? (await people.next())
      const sessionId = crypto.randomUUID()
      await stores.sessions.create({ id: sessionId, userId, name: '', createdAt: new Date(), grant: null }, 50)
      return { userId, address, sessionId }
    },
    /** Sends messages, by default of the role user, and returns the assistant's answer. */
    async say(
      { userId, sessionId }: Talker,
      said: string | readonly Message[],
      more: Partial<Ports> = {},
    ): Promise<string> {
      const sent = typeof said === 'string' ? [{ role: 'user' as const, content: said }] : [...said]
      const present = new AbortController().signal
      const call = callOf<typeof contract.chat.send>({
        principal: { userId, sessionId, grant: null },
        holder: null,
        requestId: 'request',
        clientAddress: '127.0.0.1',
        ownAddress: '127.0.0.1',
        keyOrAddress: 'address:127.0.0.1',
        tier: 'free',
        signal: present,
        disconnected: present,
        spent: () => undefined,
        markReplayed: () => undefined,
        nameStream: () => undefined,
        reportFailure: () => undefined,
      })
      const { messages } = await send(portsWith(more), contract.chat.send.input.parse({ messages: sent }), call)
      return messages.map(({ content }) => content).join('')
    },
  }
}

/** Makes the next ones while the first are used, since the funds of one wallet and of several take the same two blocks. */
function together<Made>(make: () => Promise<Made>, count: number): { next(): Promise<Made> } {
  const making: Promise<Made>[] = []
  return {
    async next() {
      if (making.length === 0) making.push(...Array.from({ length: count }, make))
      // One that nobody takes may fail as the world ends.
      for (const each of making) each.catch(() => undefined)
      return await (making.shift() as Promise<Made>)
    },
  }
}

/** The sentence that an answer asks the user to send; fails where there is none. */
export function sentenceOf(answer: string): string {
  const found = answer.match(/confirm [0-9a-f-]{36}$/gm)?.at(-1)
  if (found === undefined) throw new Error(`The answer asks for no sentence: ${answer}`)
  return found
}

/** The traces of a trade: executions of the account, and nonces of its wallet. */
export async function traces(world: Pick<TradingWorld, 'ports' | 'chain'>, { userId, address }: Talker) {
  const executions = (await world.ports.executions.list(userId, { cursor: null }, 100)).items.map(({ id }) => id)
  return { executions, nonce: await world.chain.nonce(address, 'pending') }
}

/** An assistant that writes the given texts. */
export function assistantOf(reply: Assistant['reply']): Assistant {
  return { model: 'test', reply, summarize: async () => '' }
}
