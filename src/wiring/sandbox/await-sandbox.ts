import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { timeLimit } from '../../kit/time-limit.ts'
import { callsPath } from '../../sandbox/service/serve.ts'
import { type Config, isLoopback } from '../../settings/config.ts'
import { notListening } from './not-listening.ts'

/** Milliseconds between attempts, and for one of them. */
const times = { pauseMs: 500, attemptMs: 2_000 }

/**
 * Resolves once the sandbox of SANDBOX_URL responds, at once where it does or where none is set. Meanwhile HTTP_PORT answers
 * that the gateway lives and is not ready, and `say` gets a line for the operator. False where `stop` resolves first. Throws an Error where the sandbox refuses the
 * token.
 */
export async function sandboxResponds(
  config: Config,
  stop: Promise<unknown>,
  say: (line: string) => void,
): Promise<boolean> {
  const { SANDBOX_URL: url, SANDBOX_TOKEN: token } = config
  if (url === undefined || (await responds(url, token))) return true
  say(`Waiting for the sandbox at ${url}. Start it with ${commandFor(url)}.`)
  let stopped = false
  void stop.then(() => (stopped = true))
  const answer: RequestListener = (request, response) => {
    const isAlive = request.url === '/health/live'
    response.writeHead(isAlive ? 200 : 503, { 'content-type': 'application/json', 'retry-after': '1' })
    const waiting = { status: 'not ready', checks: { sandbox: 'does not respond' } }
    response.end(JSON.stringify(isAlive ? { status: 'live' } : waiting))
  }
  const server = serverOf(config, answer)
  await once(server.listen(config.HTTP_PORT, config.HOST), 'listening').catch(notListening('HTTP_PORT', config))
  try {
    while (!stopped) {
      if (await responds(url, token)) return true
      await Promise.race([stop, sleep(times.pauseMs)])
    }
    return false
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

function commandFor(url: string): string {
  const { hostname, port } = new URL(url)
  const isHere = isLoopback(hostname) && port !== '' && port !== '8549'
  return isHere ? `SANDBOX_PORT=${port} npm run sandbox` : 'npm run sandbox'
}

function serverOf({ TLS_CERT, TLS_KEY }: Config, answer: RequestListener): Server {
  if (TLS_CERT === undefined || TLS_KEY === undefined) return createServer(answer)
  return createSecureServer({ cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) }, answer)
}

async function responds(url: string, token: string | undefined): Promise<boolean> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const signal = timeLimit(times.attemptMs)
  const response = await fetch(`${url}${callsPath}/facts`, { headers, signal }).catch(() => null)
  await response?.body?.cancel()
  if (response?.status === 401)
    throw new Error('SANDBOX_TOKEN is not the one of the sandbox at SANDBOX_URL: set the same on both sides.')
  return response?.ok === true
}
