import type { StreamEnd } from '../ports/conversations.ts'
import type { Ports } from '../ports/index.ts'

const firstWaitMs = 100
const longestWaitMs = 30_000

/**
 * Ends an answer, again after ever longer waits where the store fails: its session takes no other before. It goes on as
 * long as the process does, and does not keep that alive.
 */
export async function endAnswer(
  { chatStreams, clock }: Pick<Ports, 'chatStreams' | 'clock'>,
  streamId: string,
  end: StreamEnd,
): Promise<void> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    const ended = await chatStreams.finish(streamId, end).then(
      () => true,
      () => false,
    )
    if (ended) return
    await clock.wait(waitMs)
  }
}
