import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

/** A fault of the responses to the next `times` requests whose path begins with `path`. */
export const faultRule = z.strictObject({
  path: z.string().max(500).default('/'),
  times: z.int().min(1).max(1_000_000).default(1_000_000),
  fault: z.discriminatedUnion('type', [
    /** Responds after a delay. */
    z.strictObject({ type: z.literal('latency'), ms: z.int().min(0).max(60_000) }),
    /** Never responds. */
    z.strictObject({ type: z.literal('stall') }),
    /** Sends the first half of the response and nothing more. */
    z.strictObject({ type: z.literal('stall_midway') }),
    /** Closes the connection without a response. */
    z.strictObject({ type: z.literal('reset') }),
    /** Closes the connection in the middle of the response. */
    z.strictObject({ type: z.literal('truncate') }),
    z.strictObject({
      type: z.literal('status'),
      status: z.int().min(300).max(599),
      retry_after: z.int().min(0).max(3_600).optional(),
    }),
    /** JSON of another shape. */
    z.strictObject({ type: z.literal('wrong_json') }),
    /** HTML instead of JSON. */
    z.strictObject({ type: z.literal('garbage') }),
    /** A response without end. */
    z.strictObject({ type: z.literal('flood') }),
  ]),
})

type FaultRule = z.output<typeof faultRule>
export type Fault = FaultRule['fault']

/** The rules for the requests to come. */
export type Faults = {
  set(rule: z.input<typeof faultRule>): void
  clear(): void
  /** Returns the fault for a request to this path, or null, and counts it as used. */
  take(path: string): Fault | null
}

/** Creates an empty list of rules. `added` is called with each new rule. */
export function createFaults(added: (rule: FaultRule) => void = () => undefined): Faults {
  const rules: FaultRule[] = []
  return {
    set(rule) {
      const parsed = faultRule.parse(rule)
      rules.push(parsed)
      added(parsed)
    },
    clear: () => void rules.splice(0),
    take(path) {
      const rule = rules.find((one) => path.startsWith(one.path))
      if (rule === undefined) return null
      rule.times -= 1
      if (rule.times === 0) rules.splice(rules.indexOf(rule), 1)
      return rule.fault
    },
  }
}

/** Applies a fault to a response. Returns false where the normal response is still to be sent. */
export async function applyFault(
  fault: Fault,
  response: ServerResponse,
  text: () => Promise<string>,
): Promise<boolean> {
  if (fault.type === 'latency') await sleep(fault.ms, undefined, { ref: false })
  else if (fault.type === 'stall_midway' || fault.type === 'truncate') await sendHalf(response, await text())
  else if (fault.type === 'wrong_json') response.writeHead(200, json).end('{"of":["another","shape"]}')
  else if (fault.type === 'garbage')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>')
  else if (fault.type === 'flood') flood(response)
  else if (fault.type === 'status') {
    const wait = fault.retry_after === undefined ? {} : { 'retry-after': String(fault.retry_after) }
    response.writeHead(fault.status, { ...json, ...wait }).end('{"error":"an injected fault"}')
  }
  if (fault.type === 'reset' || fault.type === 'truncate') response.socket?.destroy()
  return fault.type !== 'latency'
}

/** Applies the faults of a WebSocket's handshake. Faults after the handshake are left to `accept`. */
export function applyUpgradeFault(fault: Fault | null, socket: Duplex, accept: () => void): void {
  if (fault?.type === 'latency') setTimeout(accept, fault.ms).unref()
  else if (fault?.type === 'reset') socket.destroy()
  else if (fault?.type === 'status') {
    const wait = fault.retry_after === undefined ? '' : `retry-after: ${fault.retry_after}\r\n`
    socket.end(`HTTP/1.1 ${fault.status} Fault\r\n${wait}content-length: 0\r\nconnection: close\r\n\r\n`)
  } else if (fault?.type !== 'stall') accept()
}

const json = { 'content-type': 'application/json' }

/** Sends the first half of a text, with the content length of all of it. */
async function sendHalf(response: ServerResponse, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  response.writeHead(200, { ...json, 'content-length': String(bytes.byteLength + 1) })
  const half = bytes.subarray(0, Math.floor(bytes.byteLength / 2))
  await new Promise<void>((resolve) => response.write(half, () => resolve()))
}

function flood(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, ' ')
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    response.once('drain', more)
  }
  response.writeHead(200, json)
  more()
}
