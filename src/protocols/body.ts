import type { IncomingHttpHeaders } from 'node:http'
import { bounds } from '../contract/shared/limits.ts'
import { DomainError } from '../domain/core/errors.ts'
import { mediaType } from './caller.ts'

type Encoding = 'json' | 'form'

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const

/** The fields of a body. Those of a form are texts, whatever the type of the field. */
export type ReadBody = { encoding: Encoding; fields: unknown }

/**
 * Reads a request body; an absent one is `{}`. A caller may send JSON where a form is expected. Throws MALFORMED_REQUEST or
 * UNSUPPORTED_MEDIA_TYPE.
 */
export function readBody(expected: Encoding, headers: IncomingHttpHeaders, body: unknown): ReadBody {
  if (!Buffer.isBuffer(body) || body.length === 0) return { encoding: expected, fields: {} }
  const encoding = mediaType(headers['content-type']) === mediaTypes.json ? 'json' : expected
  const text = bodyText(encoding, headers, body)
  return { encoding, fields: encoding === 'json' ? parseJson(text) : parseForm(text) }
}

/** The text of a body of the wanted type. Throws MALFORMED_REQUEST or UNSUPPORTED_MEDIA_TYPE. */
export function bodyText(encoding: Encoding, headers: IncomingHttpHeaders, body: Buffer): string {
  requireType(encoding, headers)
  return decodeText(body)
}

/** Parses JSON text. Throws MALFORMED_REQUEST without quoting the text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
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

/** A field sent twice becomes a list, which its schema refuses unless it accepts lists. */
function parseForm(text: string): Record<string, unknown> {
  if (text.split('&', bounds.entries + 1).length > bounds.entries)
    throw new DomainError('MALFORMED_REQUEST', `The form has more than ${bounds.entries} fields. Send fewer.`)
  const fields = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const sent = fields.get(name)
    if (sent === undefined) fields.set(name, [value])
    else sent.push(value)
  }
  return Object.fromEntries([...fields].map(([name, sent]) => [name, sent.length === 1 ? sent[0] : sent]))
}
