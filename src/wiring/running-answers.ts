import type { ChatStreams } from '../domain/ports/conversations.ts'

/** The streams of chats, and when none of the answers that this process writes is open any more. */
export type RunningAnswers = { chatStreams: ChatStreams; written(): Promise<void> }

/** Notes which answers this process writes: they go on without readers, so no open request shows them. */
export function runningAnswers(chatStreams: ChatStreams): RunningAnswers {
  const open = new Set<string>()
  const waiting: (() => void)[] = []
  return {
    chatStreams: {
      ...chatStreams,
      async open(answer, most) {
        const opened = await chatStreams.open(answer, most)
        if (typeof opened !== 'object') open.add(answer.id)
        return opened
      },
      async finish(streamId, end) {
        await chatStreams.finish(streamId, end)
        open.delete(streamId)
        if (open.size === 0) for (const resolve of waiting.splice(0)) resolve()
      },
    },
    async written() {
      if (open.size > 0) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}
