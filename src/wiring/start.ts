import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises'
import type { Observer } from '../observe/observer.ts'
import {
  type Config,
  describeConfig,
  environment,
  exposureWarning,
  readConfig,
  warningsOf,
} from '../settings/config.ts'
import { type Application, graceMs, openApplication } from './application.ts'
import { givenSettings } from './given-settings.ts'
import { openObserver } from './open-observer.ts'
import { openWorkerProcess } from './open-worker-process.ts'
import { sandboxResponds } from './sandbox/await-sandbox.ts'
import { openSandboxService } from './sandbox/open-sandbox.ts'

/** Milliseconds from the signal within which the process ends, or from the end of a longer drain `leastMs`. */
const exitMs = 15_000

/** Least milliseconds for open requests and for closing what is behind the servers. */
const leastMs = graceMs + 5_000

const stopping = ['SIGINT', 'SIGTERM'] as const

for (const warning of warningsOf(environment())) console.warn(warning)
if (process.argv.includes('--print-config')) {
  console.log(orFail(() => describeConfig(givenSettings())))
} else if (process.argv.includes('--sandbox')) {
  await runSandbox()
} else {
  await run()
}

async function run(): Promise<void> {
  const config = orFail(() => readConfig(givenSettings()))
  const warning = exposureWarning(config)
  if (warning !== null) console.warn(warning)
  const stop = stopSignals()
  if (!(await sandboxResponds(config, stop.reason, console.log).catch((error: unknown) => fail(messageOf(error)))))
    process.exit(0)
  {
    await using observer = await openObserver(config)
    await using running = await open(config, observer).catch((error: unknown) => {
      fail(`Trident could not start: ${messageOf(error)}`)
    })
    stop.opened()
    const seconds = Math.round(performance.now() / 10) / 100
    console.log(running.banner(seconds))
    observer.started({ seconds, listening: running.listening, runsOn: running.runsOn })
    const reason = await stop.reason
    const drainMs = stop.atOnce.aborted ? 0 : config.drainMs
    const draining = drainMs === 0 ? '' : `requests are taken for ${drainMs / 1_000} s more, then `
    console.log(`Stopping on ${reason}: ${draining}open requests have ${graceMs / 1_000} s to finish.`)
    observer.stopped({ reason })
    if (drainMs > 0) await drain(running, drainMs, stop.atOnce)
    stop.release()
    // A part that hangs while closing must not keep the process: all state is already on disk.
    setTimeout(() => process.exit(1), Math.max(exitMs - drainMs, leastMs)).unref()
  }
  // Everything is closed. A socket that a caller holds half open must not keep the process.
  process.exit(0)
}

type Running = AsyncDisposable & {
  listening: Record<string, string>
  runsOn: string[]
  banner(seconds: number): string
  drain(): void
}

/** Opens what ROLES names. */
async function open(config: Config, observer: Observer): Promise<Running> {
  if (config.ROLES.includes('gateway')) {
    const application = await openApplication(config, observer)
    return { ...application, banner: (seconds) => banner(application, seconds, config.rateRules === 'off') }
  }
  const { url, runsOn, ...worker } = await openWorkerProcess(config, observer)
  const said = (seconds: number) =>
    [
      `The worker is ready after ${seconds} s. It sends the transactions of the gateways of its database.`,
      '',
      `  Health    ${url}/health/ready`,
      '',
      ...runsOn.map((line) => `  ${line}`),
    ].join('\n')
  return { ...worker, runsOn, listening: { http: url }, banner: said }
}

/** Runs the sandbox alone until a signal ends it. */
async function runSandbox(): Promise<void> {
  const config = orFail(() => readConfig(givenSettings()))
  if (!config.sandbox || config.SANDBOX_URL !== undefined)
    fail('npm run sandbox serves the embedded world: start it without CHAIN_RPC_URL and SANDBOX_URL.')
  const stop = stopSignals()
  {
    await using observer = await openObserver(config)
    await using service = await openSandboxService(config, observer).catch((error: unknown) =>
      fail(`The sandbox could not start: ${messageOf(error)}`),
    )
    console.log(
      [
        `The sandbox is ready: chain ${config.CHAIN_ID} and its parent chain, the providers, and money for wallets.`,
        '',
        `  SANDBOX_URL=${service.url}${config.SANDBOX_TOKEN === undefined ? '' : ' SANDBOX_TOKEN=<the same>'} npm start`,
        '',
        'starts a gateway on it, with another DATA_DIR. For gateways of other machines set HOST and SANDBOX_TOKEN here.',
        '',
        service.marketNote,
      ].join('\n'),
    )
    console.log(`Stopping on ${await stop.reason}.`)
    stop.release()
    setTimeout(() => process.exit(1), exitMs).unref()
  }
  process.exit(0)
}

function orFail<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    return fail(messageOf(error))
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Serves on for a while, so that balancers and callers have time to go elsewhere. */
async function drain(running: Running, ms: number, atOnce: AbortSignal): Promise<void> {
  running.drain()
  await sleep(ms, undefined, { signal: atOnce }).catch(() => undefined)
  // Connections that the system has taken meanwhile are taken here too: closing its queue would break them.
  await nextRound()
}

/**
 * Waits for signals to stop. `reason` is the first one; `atOnce` aborts with SIGINT, and with any second one. Once released,
 * a further signal ends the process where it stands.
 */
function stopSignals(): { reason: Promise<string>; atOnce: AbortSignal; opened(): void; release(): void } {
  const reason = Promise.withResolvers<string>()
  const atOnce = new AbortController()
  const release = () => {
    for (const signal of stopping) process.off(signal, receive)
  }
  let [received, isOpen] = [false, false]
  const receive = (signal: NodeJS.Signals) => {
    if (received && !isOpen) process.exit(1) // what hangs at the start must not keep the process
    if (received) release()
    if (received || signal === 'SIGINT') atOnce.abort()
    received = true
    reason.resolve(signal)
  }
  for (const signal of stopping) process.on(signal, receive)
  return { reason: reason.promise, atOnce: atOnce.signal, opened: () => (isOpen = true), release }
}

function banner(
  { listening, hasFaucet, runsOn, operatorToken }: Application,
  seconds: number,
  unlimited: boolean,
): string {
  return [
    `Trident is ready after ${seconds} s.`,
    '',
    `  Console   ${listening.http}/`,
    `  REST      ${listening.http}/api/v1   (reference: ${listening.http}/docs/api)`,
    `  tRPC      ${listening.http}/trpc`,
    `  gRPC      ${listening.grpc}   (reflection and health)`,
    `  JSON-RPC  ${listening.rpc}   (HTTP and WebSocket)`,
    `  Guides    ${listening.http}/docs/guides`,
    `  Explorer  ${listening.http}/explorer`,
    ...(hasFaucet ? [`  Faucet    ${listening.http}/faucet   (POST /faucet/api/claim)`] : []),
    ...(listening.l1 === undefined
      ? []
      : [
          `  Bridge    ${listening.http}/bridge   (GET /bridge/api/status/<hash of a transfer>)`,
          `  Parent    ${listening.l1}   (JSON-RPC of the embedded parent chain)`,
        ]),
    '',
    ...runsOn.map((line) => `  ${line}`),
    '',
    ...(operatorToken === null
      ? ['  Operator calls and /metrics need OPERATOR_TOKEN.']
      : [
          `  Operator calls and /metrics need the token in ${operatorToken}:`,
          `  curl -s ${listening.http}/metrics -H "authorization: Bearer $(cat ${operatorToken})"`,
        ]),
    ...(unlimited ? ['', '  RATE LIMITS ARE OFF (RATE_LIMITS=off): use this for tests and benchmarks only.'] : []),
    '',
    'Next, register the account with which README.md makes a first trade, unless it exists:',
    `  curl -s ${listening.http}/api/v1/auth/register -H 'content-type: application/json' -d '{"email":"ada@example.com","password":"correct horse battery"}'`,
  ].join('\n')
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
