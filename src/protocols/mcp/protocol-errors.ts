import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { bounds } from '../../contract/shared/limits.ts'
import { wordsOf } from '../../contract/shared/violation-words.ts'
import { isRecord } from '../../kit/values.ts'

/** Of JSON-RPC: something is wrong with the parameters of a request. */
const invalidParams = -32602

/** Most characters of a message that says what is wrong. */
const mostCharacters = 1_000

/**
 * An answer as callers read it. Of wrong parameters the library sends the list that its validator makes, partly as a failure
 * of its own. `sent` are the messages that are answered.
 */
export function inWords(answer: JSONRPCMessage, sent: readonly unknown[]): JSONRPCMessage {
  if (!('error' in answer)) return answer
  const issues = issuesIn(answer.error.message)
  if (issues === null) return answer
  const request = sent.find((message) => isRecord(message) && message.id === answer.id)
  const wrong = issues.slice(0, bounds.violationsListed).map((issue) => {
    const input = valueAt(request, issue.path) === undefined ? undefined : null
    return `${issue.path.map(String).join('.')} ${wordsOf({ ...issue, input } as z.core.$ZodIssue)}`
  })
  return { ...answer, error: invalid(wrong.join('; ')) }
}

function invalid(wrong: string) {
  return { code: invalidParams, message: `Invalid params: ${wrong}`.slice(0, mostCharacters).toWellFormed() }
}

/** The list in a message such as "Invalid tools/call request: [ ... ]"; null where there is none. */
function issuesIn(message: string): z.core.$ZodIssue[] | null {
  const start = message.indexOf('[\n')
  if (start < 0) return null
  try {
    const found: unknown = JSON.parse(message.slice(start))
    return Array.isArray(found) && found.every((issue) => isRecord(issue) && Array.isArray(issue.path)) ? found : null
  } catch {
    return null
  }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (isRecord(at) ? at[String(key)] : undefined), value)
}

/**
 * The answer to a request whose parameters have no form in which the library reads it as a request; null for all else. The
 * library would not name them.
 */
export function refusedParams(body: unknown): Response | null {
  if (!isRecord(body) || body.jsonrpc !== '2.0' || typeof body.method !== 'string') return null
  const { id, params } = body
  if ((typeof id !== 'string' && !Number.isInteger(id)) || params === undefined) return null
  const wrong = wrongIn(params)
  return wrong === null ? null : Response.json({ jsonrpc: '2.0', id, error: invalid(wrong) }, { status: 400 })
}

function wrongIn(params: unknown): string | null {
  if (!isRecord(params)) return 'params must be an object'
  const { _meta: meta } = params
  if (meta === undefined) return null
  if (!isRecord(meta)) return 'params._meta must be an object'
  const { progressToken: token } = meta
  const isToken = token === undefined || typeof token === 'string' || Number.isInteger(token)
  return isToken ? null : 'params._meta.progressToken must be a text or a whole number'
}
