import { isUtf8 } from 'node:buffer'
import { bounds } from '../../src/contract/shared/limits.ts'

/** The correct reaction of a server to the bytes of a client. */
export type Reading = {
  /** Messages that were complete before the end or the close frame. */
  messages: Buffer[]
  /** The code to close with, null in response to a close frame without one; undefined where the socket stays open. */
  code?: number | null
}

type Frame = { opcode: number; fin: boolean; payload: Buffer; size: number }

/** Parses the bytes of a client by RFC 6455, without extensions, with messages of at most 1 MiB. */
export function readFrames(bytes: Buffer): Reading {
  const messages: Buffer[] = []
  let open: { isText: boolean; parts: Buffer[] } | null = null
  for (let rest = bytes; ; ) {
    const held: number = open?.parts.reduce((sum, part) => sum + part.length, 0) ?? 0
    const frame = frameAt(rest, open !== null, held)
    if (frame === 'unfinished') return { messages }
    if (typeof frame === 'number') return { messages, code: frame }
    rest = rest.subarray(frame.size)
    if (frame.opcode === 8) return { messages, code: goodbyeTo(frame.payload) }
    if (frame.opcode > 8) continue
    open ??= { isText: frame.opcode === 1, parts: [] }
    open.parts.push(frame.payload)
    if (!frame.fin) continue
    const message = Buffer.concat(open.parts)
    if (open.isText && !isUtf8(message)) return { messages, code: 1007 }
    messages.push(message)
    open = null
  }
}

/** The first frame, or the code of its error. */
function frameAt(bytes: Buffer, isOpen: boolean, held: number): Frame | number | 'unfinished' {
  if (bytes.length < 2) return 'unfinished'
  const [first, second] = [bytes.readUInt8(0), bytes.readUInt8(1)]
  const fin = first >= 0x80
  const opcode = first & 0xf
  const short = second & 0x7f
  const isControl = opcode >= 8
  const isKnown = isControl ? opcode <= 10 : opcode <= 2 && (opcode === 0) === isOpen
  const isTooMuch = isControl && (!fin || short > 125 || (opcode === 8 && short === 1))
  if ((first & 0x70) !== 0 || !isKnown || isTooMuch || second < 0x80) return 1002
  const head = short === 126 ? 4 : short === 127 ? 10 : 2
  if (bytes.length < head) return 'unfinished'
  const length = head === 4 ? bytes.readUInt16BE(2) : head === 10 ? Number(bytes.readBigUInt64BE(2)) : short
  if (!isControl && length > 0 && held + length > bounds.bodyBytes) return 1009
  const size = head + 4 + length
  if (bytes.length < size) return 'unfinished'
  const mask = bytes.subarray(head, head + 4)
  const payload = bytes.subarray(head + 4, size).map((byte, index) => byte ^ mask.readUInt8(index % 4))
  return { opcode, fin, payload: Buffer.from(payload), size }
}

/** The code of the response to a close frame: its own, or that of its error. */
function goodbyeTo(payload: Buffer): number | null {
  if (payload.length === 0) return null
  const code = payload.readUInt16BE()
  const isDefined = code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)
  if (!isDefined && (code < 3000 || code > 4999)) return 1002
  return isUtf8(payload.subarray(2)) ? code : 1007
}
