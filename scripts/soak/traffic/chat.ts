import { strict as assert } from 'node:assert'
import { readThroughCuts } from '../../../test/chat/cuts.ts'
import { newAccount, protocols } from '../../../test/world.ts'
import { ask, type SoakWorld, type Traffic } from '../world.ts'

const sentences = [
  'what can you do for me?',
  'what is my balance?',
  'show my positions',
  'quote 1 WETH to USDC',
  'quote half my USDC to WBTC',
  'is RUG safe to buy?',
  'what is the TVL of the sandbox?',
  'what are the best yields for USDC?',
  'what does ETH cost?',
]
const roundsOfConversation = 12

/** A user who chats: with whole answers, and with streams that are cut and resumed on any protocol. */
export const chat: Traffic = {
  name: 'chat',
  pauseMs: 1_000,
  async begin(world, { one, below }) {
    const { token } = await newAccount(world.clients.rest)
    const counted = { answers: 0, cuts: 0 }
    let rounds = 0
    const newest = async (by: SoakWorld) => {
      const input = { limit: 1 }
      const { messages } = await ask(by, { client: by.clients[one(protocols)], id: 'chat.history', input, token })
      return messages[0]?.content
    }
    let kept: string | undefined
    return {
      async round() {
        const client = world.clients[one(protocols)]
        const messages = [{ role: 'user', content: one(sentences) }]
        const { messages: said } = await ask(world, { client, id: 'chat.send', input: { messages }, token })
        if ((await newest(world)) !== said.at(-1).content) world.outcomes.broken('the history keeps another answer')
        const questions = { questionOf: () => one(sentences), wholeOf: () => null }
        const door = async () => world.clients
        const { answers, cuts, ...wrongs } = await readThroughCuts(door, token, below(1e9), 2, questions)
        counted.answers += answers
        counted.cuts += cuts
        if (Object.values(wrongs).some((count) => count > 0))
          world.outcomes.broken(`answers of the assistant through cuts: ${JSON.stringify(wrongs)}`)
        rounds += 1
        if (rounds % roundsOfConversation === 0) await ask(world, { client, id: 'chat.clear', input: {}, token })
      },
      async settled() {
        kept = await newest(world)
        assert.ok(counted.cuts > 0, 'no answer was read through cuts')
        console.log(`chat: ${counted.answers} streamed answers read through ${counted.cuts} cuts`)
      },
      async restarted(again) {
        assert.equal(await newest(again), kept, 'the newest message of the history')
      },
    }
  },
}
