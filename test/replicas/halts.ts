import { setTimeout as sleep } from 'node:timers/promises'
import type { Entry, Notes } from './trading-clients.ts'

/** Halts of all trading, at a gateway that is drawn. A trade that starts after the answer, wherever, must not be made. */
export function openHalts(direct: readonly Entry[], operatorToken: string, notes: Notes, random: () => number) {
  const broken: string[] = []
  let [halts, tried] = [0, 0]
  return {
    broken,
    count: () => halts,
    tried: () => tried,
    async once(): Promise<void> {
      const at = direct[Math.floor(random() * direct.length)]
      const set = async (id: 'operator.haltTrading' | 'operator.resumeTrading') =>
        await at
          ?.one('rest')
          .call(id, { scope: 'global' }, operatorToken)
          .catch(() => null)
      const answer = await set('operator.haltTrading')
      if (answer?.ok) {
        const haltedAt = performance.now()
        halts += 1
        await sleep(1_000 + random() * 1_000)
        const resumedAt = performance.now()
        const since = notes.trades.filter(({ firstSentAt }) => firstSentAt > haltedAt && firstSentAt < resumedAt)
        tried += since.length
        for (const note of since)
          if (
            note.acknowledged.some(({ at, status }) => at < resumedAt && (status === 'success' || status === 'pending'))
          )
            broken.push(
              `${note.key} was sent ${Math.round(note.firstSentAt - haltedAt)} ms after the halt: ${note.status}`,
            )
      }
      while (!(await set('operator.resumeTrading'))?.ok) await sleep(200)
    },
  }
}
