import type { IncomingMessage } from 'node:http'
import { bounds } from '../../contract/shared/limits.ts'
import { DomainError } from '../../domain/core/errors.ts'
import { bodyText } from '../body.ts'
import { envelopeErrors, type RpcError } from './errors.ts'

/** The message or batch of a body, or the status and error that refuse it. */
export function parsedBody(
  request: IncomingMessage,
  body: Buffer,
): { message: unknown } | { status: number; error: RpcError } {
  try {
    return { message: parseExactly(bodyText('json', request.headers, body)) }
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.code === 'UNSUPPORTED_MEDIA_TYPE')
      return { status: 415, error: { ...envelopeErrors.mediaType, message: thrown.message } }
    return { status: 200, error: envelopeErrors.parse }
  }
}

/** The message or batch of a frame, text or binary. */
export function parsedFrame(frame: Buffer): { message: unknown } | { error: RpcError } {
  try {
    return { message: parseExactly(new TextDecoder('utf-8', { fatal: true }).decode(frame)) }
  } catch {
    return { error: envelopeErrors.parse }
  }
}

/** The body; null where it is larger than the bound, and then it is not read to its end. */
export async function bytesOf(request: IncomingMessage): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > bounds.bodyBytes) return null
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | null>()
  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= bounds.bodyBytes) {
      chunks.push(chunk)
      return
    }
    request.pause()
    resolve(null)
  })
  request.once('end', () => resolve(Buffer.concat(chunks)))
  request.once('error', reject)
  request.once('close', () => {
    if (!request.readableEnded) reject(new Error('The caller disconnected.'))
  })
  return await promise
}

declare global {
  interface JSON {
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
  }
}

/** Parsing exactly takes twenty times as long. In longer and in very deep messages, ids have the precision of a double. */
const longestExact = 16_384

/**
 * Parses JSON so that an id that is not a safe integer, such as 9007199254740993, is returned as it was written. A safe
 * integer is returned as the same number: 1.0 as 1. Throws SyntaxError.
 */
function parseExactly(text: string): unknown {
  const parsed: unknown = JSON.parse(text)
  const messages: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  if (text.length > longestExact || !messages.some(hasInexactId)) return parsed
  try {
    return JSON.parse(text, (key, value, { source }) =>
      key === 'id' && isInexact(value) && source !== undefined ? JSON.rawJSON(source) : value,
    )
  } catch {
    return parsed // nested too deeply for a reviver, which recurses
  }
}

function hasInexactId(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'id' in message && isInexact(message.id)
}

function isInexact(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value)
}
