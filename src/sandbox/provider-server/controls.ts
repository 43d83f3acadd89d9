import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { parseJson } from '../../kit/values.ts'
import { type Faults, faultRule } from './faults.ts'

/** Serves the fault controls on a Unix socket: POST adds a rule, DELETE removes all rules. */
export async function serveControls(path: string, faults: Faults): Promise<AsyncDisposable> {
  rmSync(path, { force: true })
  const server = createServer((request, response) => {
    handle(faults, request, response).catch(() => response.destroy()) // the client has disconnected
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve())
  })
  chmodSync(path, 0o600)
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function handle(faults: Faults, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString()
  if (request.method === 'DELETE') {
    faults.clear()
    response.end('{}')
    return
  }
  const rule = faultRule.safeParse(parseJson(body))
  if (rule.success) faults.set(rule.data)
  response.writeHead(rule.success ? 200 : 422).end(rule.success ? '{}' : JSON.stringify(rule.error.issues))
}
