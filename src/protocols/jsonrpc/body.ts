import type { IncomingMessage } from 'node:http'
import { bounds } from '../../contract/shared/limits.ts'
import { DomainError } from '../../domain/core/errors.ts'
import { bodyText } from '../body.ts'
import { envelopeErrors, type RpcError } from './errors.ts'
import { parseExactly } from './exact-ids.ts'

/** The message or batch of a body, or the status and error that refuse it. */
export function parsedBody(
  request: IncomingMessage,
  body: Buffer,
): { message: unknown } | { status: number; error: RpcError } {
  try {
    return { message: parseExactly(bodyText('json', request.headers, body)) }
  } catch (thrown) {
    const wrongType = thrown instanceof DomainError && thrown.code === 'UNSUPPORTED_MEDIA_TYPE'
    return wrongType ? { status: 415, error: envelopeErrors.mediaType } : { status: 200, error: envelopeErrors.parse }
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
