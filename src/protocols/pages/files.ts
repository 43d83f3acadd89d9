import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A file as it is sent: its type, its bytes, its entity tag, and the bytes compressed, which are made once when first asked for. */
export type ServedFile = { type: string; plain: Buffer; etag: string; compressed(): Promise<Buffer> }

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  md: 'text/plain; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The bytes under a file name, whose ending gives the type. */
export function servedFile(name: string, plain: Buffer): ServedFile {
  let compressed: Promise<Buffer> | undefined
  return {
    type: types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    plain,
    etag: `"${createHash('sha256').update(plain).digest('base64url')}"`,
    compressed: () => (compressed ??= compress(plain, { level: 9 })),
  }
}

/** Sends a file, compressed for those who take it, and only its tag to those who have it. */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, file: ServedFile): Promise<FastifyReply> {
  const { headers } = request
  reply.headers({ etag: file.etag, 'referrer-policy': 'same-origin', vary: 'accept-encoding' })
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known?.includes(file.etag) === true) return reply.code(304).send()
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(headers['accept-encoding'] ?? ''))
  reply.type(file.type)
  return takesGzip ? reply.header('content-encoding', 'gzip').send(await file.compressed()) : reply.send(file.plain)
}

const compress = promisify(gzip)
