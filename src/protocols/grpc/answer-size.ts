import { DomainError } from '../../domain/core/errors.ts'
import type { GrpcMethod } from './method.ts'

/** The metadata in which a caller says the longest message that it takes, which gRPC itself does not tell a server. */
export const sizeKey = 'x-max-message-bytes'

/** The longest message of an answer: what clients take unless they are made otherwise, and the most that is sent. */
export const answerBytes = { usual: 4_194_304, most: 268_435_456 } as const

/** Reads the longest message that a caller takes. Throws INVALID_ARGUMENT for what is no whole number up to the most. */
export function sizeTaken(header: string | undefined): number {
  if (header === undefined) return answerBytes.usual
  const bytes = /^[1-9]\d{0,9}$/.test(header) ? Number(header) : Number.NaN
  if (bytes <= answerBytes.most) return bytes
  const message = `must be a whole number of bytes from 1 to ${answerBytes.most}`
  const violations = [{ path: sizeKey, message, code: 'invalid_format' }]
  throw new DomainError('INVALID_ARGUMENT', `${sizeKey}: ${message}`, { violations })
}

/**
 * Encodes an answer, or one event of a stream. Throws PAYLOAD_TOO_LARGE where its caller would not take it: a client fails
 * then only once it has read the whole message, and without the size that it needs.
 */
export function encodedWithin(taken: number, method: GrpcMethod, output: unknown): Buffer {
  const bytes = method.encodeResponse(output)
  if (bytes.length <= taken) return bytes
  const ways = ['ask for less', ...(method.streamedBy === undefined ? [] : [`use ${method.streamedBy}`])].join(' or ')
  const advice =
    bytes.length > answerBytes.most
      ? `No message of more than ${answerBytes.most} is sent: ${ways}.`
      : `Set max_receive_message_length of the client to the size and send it as ${sizeKey}, or ${ways}.`
  throw new DomainError(
    'PAYLOAD_TOO_LARGE',
    `The message has ${bytes.length} bytes, and the limit is ${taken}. ${advice}`,
    { metadata: { needed_bytes: `${bytes.length}`, limit_bytes: `${taken}` } },
  )
}
