import { randomBytes } from 'node:crypto'
import type { ServerContext } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { type Asked, dialogueOf, openCodec } from './dialogue.ts'

const codec = openCodec(randomBytes(32))
const person = { codec, now: () => new Date() }
const accepted = { confirm: { action: 'accept', content: { confirm: true } } }

const asked: Asked = { tool: 'trade', digest: 'd', quoteId: 'q', confirmationId: 'c', until: Date.now() + 30_000 }

/** A round of a call, as the library hands it to a tool. */
function round(
  more: { state?: string; capabilities?: object; session?: string; answers?: object } = {},
): ServerContext {
  const { state, capabilities, session = '1 s', answers = accepted } = more
  return {
    http: { authInfo: { token: '', clientId: session, scopes: [] } },
    mcpReq: {
      method: 'tools/call',
      inputResponses: answers,
      requestState: () => state,
      envelope: { 'io.modelcontextprotocol/clientCapabilities': capabilities },
    },
  } as unknown as ServerContext
}

test('a yes is heard from the session that was asked', async () => {
  const state = await codec.mint(asked, round())
  expect(await dialogueOf(person, round({ state })).heard()).toMatchObject({
    agreed: true,
    isLate: false,
    asked: { quoteId: 'q' },
  })
  const ended = await codec.mint({ ...asked, until: Date.now() - 1 }, round())
  expect(await dialogueOf(person, round({ state: ended })).heard()).toMatchObject({ isLate: true })
  await expect(dialogueOf(person, round({ state, session: '1 t' })).heard()).rejects.toThrow(
    /no question of this session/,
  )
  expect(await dialogueOf(person, round()).heard()).toBe(null)
})

test.each([
  [undefined],
  [{ confirm: true }],
  [{ confirm: { action: 'decline' } }],
  [{ confirm: { action: 'accept' } }],
  [{ confirm: { action: 'accept', content: { confirm: false } } }],
  [{ confirm: { action: 'accept', content: { confirm: 1 } } }],
])('%j is no yes', async (answers) => {
  const context = round({ state: await codec.mint(asked, round()) })
  Object.assign(context.mcpReq, { inputResponses: answers })
  expect(await dialogueOf(person, context).heard()).toMatchObject({ agreed: false })
})

test.each([
  [{ elicitation: {} }, true],
  [{ elicitation: { form: {} } }, true],
  [{ elicitation: { form: {}, url: {} } }, true],
  [{ elicitation: { url: {} } }, false],
  [{}, false],
  [undefined, false],
  [{ elicitation: true }, false],
])('a client with the capabilities %j shows forms: %s', (capabilities, shown) => {
  const context = round({ ...(capabilities === undefined ? {} : { capabilities }) })
  expect(dialogueOf(person, context).showsForms).toBe(shown)
})
