import { chmodSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Faults } from './faults.ts'
import { faultRule } from './faults.ts'

/** The controls of the faults on a Unix socket: POST adds a rule, DELETE takes all away. */
export async function serveControls(path: string, faults: Faults): Promise<AsyncDisposable> {
  rmSync(path, { force: true })
  const server = createServer(async (request, response) => {
    if (request.method === 'DELETE') {
      faults.clear()
      response.end('{}')
      return
    }
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>)
    const rule = faultRule.safeParse(jsonOf(Buffer.concat(chunks).toString()))
    if (rule.success) faults.set(rule.data)
    response.writeHead(rule.success ? 200 : 422).end(rule.success ? '{}' : JSON.stringify(rule.error.issues))
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
