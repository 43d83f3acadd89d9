import { type JSONRPCMessage, ProtocolErrorCode, RELATED_TASK_META_KEY } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { bounds } from '../../contract/shared/limits.ts'
import { wordsOf } from '../../contract/shared/violation-words.ts'
import { isRecord, parseJson } from '../../kit/values.ts'

/** Most characters of a message that says what is wrong. */
const mostCharacters = 1_000

/** What is wrong with the parameters of requests, by the id of each. */
export type WrongParams = ReadonlyMap<unknown, string>

/**
 * Removes the parameters of requests that the library would not read, with all the others of a batch. Without parameters no
 * tool is called. Returns what was wrong with them, which their answers say: see `inWords`.
 */
export function takeWrongParams(messages: readonly unknown[]): WrongParams {
  const wrong = new Map<unknown, string>()
  for (const message of messages) {
    if (!isRecord(message) || typeof message.method !== 'string' || message.params === undefined) continue
    const fault = faultIn(message.params)
    if (fault === null) continue
    delete message.params
    // The answer of another request with the same id says what that one did.
    if (messages.filter((other) => isRecord(other) && other.id === message.id).length === 1)
      wrong.set(message.id, fault)
  }
  return wrong
}

function faultIn(params: unknown): string | null {
  if (!isRecord(params)) return 'params must be an object'
  const { _meta: meta } = params
  if (meta === undefined) return null
  if (!isRecord(meta)) return 'params._meta must be an object'
  const { progressToken: token, [RELATED_TASK_META_KEY]: task } = meta
  if (token !== undefined && typeof token !== 'string' && !Number.isInteger(token))
    return 'params._meta.progressToken must be a text or a whole number'
  const isTask = task === undefined || (isRecord(task) && typeof task.taskId === 'string')
  return isTask ? null : `params._meta.${RELATED_TASK_META_KEY} must be a task`
}

/** The answer to a request that is alone, whose parameters were wrong; null for all else. */
export function refusedParams(body: unknown, wrong: WrongParams): Response | null {
  if (!isRecord(body) || (typeof body.id !== 'string' && !Number.isInteger(body.id))) return null
  const fault = wrong.get(body.id)
  return fault === undefined
    ? null
    : Response.json({ jsonrpc: '2.0', id: body.id, error: invalid(fault) }, { status: 400 })
}

/**
 * An answer as callers read it. Of wrong parameters the library sends the list that its validator makes, partly as a failure
 * of its own. `sent` are the messages that are answered, and `wrong` what was taken from them.
 */
export function inWords(answer: JSONRPCMessage, sent: readonly unknown[], wrong: WrongParams): JSONRPCMessage {
  const hasError = 'error' in answer
  if (!hasError && !('result' in answer)) return answer
  const fault = wrong.get(answer.id)
  if (fault !== undefined && !(hasError && answer.error.code === ProtocolErrorCode.MethodNotFound))
    return { jsonrpc: '2.0', id: answer.id ?? null, error: invalid(fault) } as JSONRPCMessage
  const issues = hasError ? issuesIn(answer.error.message) : null
  if (issues === null) return answer
  const request = sent.find((message) => isRecord(message) && message.id === answer.id)
  const faults = issues.slice(0, bounds.violationsListed).map((issue) => {
    const input = valueAt(request, issue.path) === undefined ? undefined : null
    return `${issue.path.map(String).join('.')} ${wordsOf({ ...issue, input } as z.core.$ZodIssue)}`
  })
  return { ...answer, error: invalid([...new Set(faults)].join('; ')) } as JSONRPCMessage
}

function invalid(wrong: string) {
  return {
    code: ProtocolErrorCode.InvalidParams,
    message: `Invalid params: ${wrong}`.slice(0, mostCharacters).toWellFormed(),
  }
}

/** The list in a message such as "Invalid tools/call request: [ ... ]"; null where there is none. */
function issuesIn(message: string): z.core.$ZodIssue[] | null {
  const found = parseJson(/\[\n.*$/s.exec(message)?.[0] ?? '')
  return Array.isArray(found) && found.every((issue) => isRecord(issue) && Array.isArray(issue.path)) ? found : null
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (isRecord(at) ? at[String(key)] : undefined), value)
}
