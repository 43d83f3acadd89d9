import { cpSync } from 'node:fs'
import { readConfig } from '../src/settings/config.ts'
import { openObserver } from '../src/wiring/open-observer.ts'
import { openSandboxService, type SandboxService } from '../src/wiring/sandbox/open-sandbox.ts'
import { dataFolder } from './data-folder.ts'
import { freePorts } from './free-ports.ts'
import { shared } from './shared.ts'
import { unhurried, unhurriedSettings } from './world.ts'

/** The sandbox of `npm run sandbox`, in this process, with a copy of a chain that has run for a few blocks. */
export async function openTestSandbox(settings: Record<string, string> = {}): Promise<SandboxService> {
  await using opened = new AsyncDisposableStack()
  const dataDir = settings.DATA_DIR ?? opened.use(dataFolder()).path
  if (settings.DATA_DIR === undefined) cpSync(await shared('data-folder'), dataDir, { recursive: true })
  const free = { ...freePorts, ...unhurriedSettings, LOG_LEVEL: 'silent', DATA_DIR: dataDir }
  const config = readConfig({ ...free, ...settings })
  const observer = opened.use(await openObserver(config))
  const service = opened.use(await openSandboxService(config, observer, unhurried))
  const resources = opened.move()
  return { url: service.url, marketNote: service.marketNote, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
