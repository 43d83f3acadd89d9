import type { IncomingHttpHeaders } from 'node:http'
import { DomainError } from '../domain/core/errors.ts'
import { mediaType } from './caller.ts'
import { readOnce } from './json-text.ts'
import { readFields } from './url-text.ts'

type Encoding = 'json' | 'form'

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const

/** The fields of a body. Those of a form are texts, whatever the type of the field, or lists where they are sent twice. */
export type ReadBody = { encoding: Encoding; fields: unknown }

type Sent = { headers: IncomingHttpHeaders; body: unknown }

/**
 * Reads a request body; an absent one is `{}`. A caller may send JSON where a form is expected. Where `isStrict`, no object
 * may have a key twice. Throws MALFORMED_REQUEST, UNSUPPORTED_MEDIA_TYPE or INVALID_ARGUMENT.
 */
export function readBody({ headers, body }: Sent, expected: Encoding = 'json', isStrict = false): ReadBody {
  if (!Buffer.isBuffer(body) || body.length === 0) return { encoding: expected, fields: {} }
  const encoding = mediaType(headers['content-type']) === mediaTypes.json ? 'json' : expected
  const text = bodyText(encoding, headers, body)
  return { encoding, fields: encoding === 'form' ? readFields(text) : parseJson(text, isStrict) }
}

/** The text of a body of the wanted type. Throws MALFORMED_REQUEST or UNSUPPORTED_MEDIA_TYPE. */
export function bodyText(encoding: Encoding, headers: IncomingHttpHeaders, body: Buffer): string {
  requireType(encoding, headers)
  return decodeText(body)
}

/** Parses JSON text. Throws MALFORMED_REQUEST without quoting the text, and INVALID_ARGUMENT for keys that are sent twice. */
function parseJson(text: string, isStrict: boolean): unknown {
  try {
    return isStrict ? readOnce(text) : JSON.parse(text)
  } catch (cause) {
    if (cause instanceof DomainError) throw cause
    throw new DomainError('MALFORMED_REQUEST', 'The body is not JSON. Check quotes, commas and brackets.', {}, cause)
  }
}

/** Decodes UTF-8. Throws MALFORMED_REQUEST on other bytes. */
function decodeText(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new DomainError('MALFORMED_REQUEST', 'The body is not UTF-8 text.', {}, cause)
  }
}

function requireType(encoding: Encoding, headers: IncomingHttpHeaders): void {
  const wanted = mediaTypes[encoding]
  const accepted = encoding === 'form' ? `${mediaTypes.json} or ${wanted}` : wanted
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8'
  if (mediaType(headers['content-type']) !== wanted || !['utf-8', 'utf8', 'us-ascii'].includes(charset)) {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${accepted} in UTF-8.`)
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a content encoding.')
  }
}
