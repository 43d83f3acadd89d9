import type { Account } from '../world.ts'
import type { Entry } from './trading-clients.ts'

/** How many requests of its class an account has. The class is of calls that the drill makes for nothing else. */
const limit = 60

const unlimited = ['default', 'chat', 'execute', 'operator', 'keys', 'register', 'register_failed', 'login', 'guesses']

/** Settings of rates that no load of the drill meets, except in one class. */
export const rateSettings = {
  RATE_LIMITS: 'on',
  RATE_RULES: [...unlimited.map((name) => `${name}=1000000/1`), `restrain=${limit}/3600/${limit}`].join(','),
}

/** How many of the requests that an account sends to all gateways at once are served, and how many should be. */
export async function measureRate(
  direct: readonly Entry[],
  { userToken }: Account,
): Promise<{ served: number; limit: number }> {
  const asked = direct.flatMap((entry) =>
    Array.from({ length: limit }, () => entry.one('rest').call('auth.listSessions', {}, userToken)),
  )
  const answers = await Promise.all(asked)
  const odd = answers.find((answer) => !answer.ok && answer.code !== 'RATE_LIMITED')
  if (odd !== undefined) throw new Error(`A request was neither served nor limited: ${JSON.stringify(odd)}`)
  return { served: answers.filter(({ ok }) => ok).length, limit }
}
