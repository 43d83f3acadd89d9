import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'

/** Ends a running answer; what was written so far stays in the history. Stopping a finished one changes nothing. */
export const stop: Handler<typeof contract.chat.stop, 'chatStreams'> = async (ports, input, call) => {
  const found = await ports.chatStreams.find(input.stream_id)
  if (found === null || found.sessionId !== call.principal.sessionId)
    throw call.fail('NOT_FOUND', 'There is no such stream in this session.')
  await ports.chatStreams.requestStop(input.stream_id)
  return {}
}
