import { storedSecret } from '../../adapters/system/secret-files.ts'
import type { Observer } from '../../observe/observer.ts'
import { authority, reachable } from '../../protocols/address.ts'
import { openProviderHandlers } from '../../sandbox/providers/open.ts'
import { sandboxRouter } from '../../sandbox/service/router.ts'
import { serveSandbox } from '../../sandbox/service/serve.ts'
import { createTreasury } from '../../sandbox/service/treasury.ts'
import { type Config, isLoopback } from '../../settings/config.ts'
import { makeDataDir } from './make-data-dir.ts'
import { notListening } from './not-listening.ts'
import { type BlockTimes, describeMarket, embeddedBlockTimes, openOwnSandbox, providersOf } from './open-embedded.ts'

/** The running sandbox of `npm run sandbox`. */
export type SandboxService = AsyncDisposable & { url: string; marketNote: string }

/** Opens the embedded world of a data folder, and serves it to gateways. */
export async function openSandboxService(
  config: Config,
  observer: Observer,
  blockTimes: BlockTimes = embeddedBlockTimes,
): Promise<SandboxService> {
  const { HOST: host, SANDBOX_PORT: port, SANDBOX_TOKEN: token = null } = config
  if (token === null && !isLoopback(host))
    throw new Error(
      `HOST ${host} would serve the sandbox to other machines without a token: set SANDBOX_TOKEN here and at the gateways, or leave HOST out.`,
    )
  await using opened = new AsyncDisposableStack()
  makeDataDir(config.DATA_DIR)
  const treasuryKey = `0x${storedSecret(config.DATA_DIR, 'treasury.key')}` as const
  const sandbox = opened.use(await openOwnSandbox(config, { treasuryKey, observer, blockTimes }))
  const failed = (error: unknown) => observer.background({ task: 'sandbox providers', error, triesAgain: true })
  const providers = await openProviderHandlers(providersOf(config, sandbox, failed))
  const router = sandboxRouter(sandbox, createTreasury(treasuryKey, config.CHAIN_ID))
  const serving = await serveSandbox({ host, port, token, router, providers }).catch(
    notListening('SANDBOX_PORT', config),
  )
  opened.use(serving)
  const resources = opened.move()
  return {
    url: `http://${authority(reachable(host), serving.port)}`,
    marketNote: describeMarket(sandbox),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
