import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'

/** Stops an open answer; what was written so far stays in the history. Stopping an ended answer changes nothing. */
export const stop: Handler<typeof contract.chat.stop, 'chatStreams'> = async (ports, input, call) => {
  const found = await ports.chatStreams.find(input.stream_id)
  if (found === null || found.sessionId !== call.principal.sessionId)
    throw call.fail('NOT_FOUND', 'This session has no such stream.')
  await ports.chatStreams.requestStop(input.stream_id)
  return {}
}
