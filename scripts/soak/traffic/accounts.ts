import { strict as assert } from 'node:assert'
import { password, protocols } from '../../../test/world.ts'
import { ask, askRefused, type Traffic } from '../world.ts'

/** Users who register, log in, start a session, rename it, and delete it. */
export const accounts: Traffic = {
  name: 'accounts',
  pauseMs: 3_000,
  async begin(world, { one }) {
    let last: { username: string; password: string } | null = null
    return {
      async round() {
        const client = world.clients[one(protocols)]
        const email = `${crypto.randomUUID()}@example.com`
        await ask(world, { client, id: 'auth.register', input: { email, password } })
        const login = await ask(world, { client, id: 'auth.login', input: { username: email, password } })
        const userToken: string = login.access_token
        const session = await ask(world, { client, id: 'auth.createSession', input: {}, token: userToken })
        const token: string = session.token.access_token
        const input = { session_id: session.session_id, name: 'Soaked' }
        await ask(world, { client, id: 'auth.renameSession', input, token })
        const listed = await ask(world, { client, id: 'auth.listSessions', input: {}, token: userToken })
        if (listed[0]?.name !== 'Soaked') world.outcomes.broken('a session lost its name')
        last = { username: email, password }
        const { session_id } = session
        await ask(world, { client, id: 'auth.deleteSession', input: { session_id }, token: userToken })
        const gone = { client: world.clients[one(protocols)], id: 'chat.history', input: {}, token } as const
        await askRefused(world, gone, 'UNAUTHENTICATED', 'a token of a deleted session')
      },
      async restarted(again) {
        assert.ok(last, 'nobody has registered')
        await ask(again, { client: again.clients[one(protocols)], id: 'auth.login', input: last })
      },
    }
  },
}
