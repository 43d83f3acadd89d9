import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { rpc } from '../clients/rpc-call.ts'
import { type EmbeddedChain, enginePid, killEngine } from '../engine.ts'

/** Kills the engine of a chain, and waits until another one runs and returns what only an engine knows. */
export async function killEngineAndWait(dataDir: string, chain: EmbeddedChain, url: string, timeoutMs: number) {
  const pid = killEngine(dataDir, chain)
  // A call that was running when the engine died may still return, so the new process is awaited first.
  await until(() => ![null, pid].includes(enginePid(dataDir, chain)), 'another engine', timeoutMs)
  // A balance that nobody has read cannot come from a cache.
  const balance = () => rpc(url, 'eth_getBalance', privateKeyToAddress(generatePrivateKey()), 'latest')
  await until(
    async () => (await balance().catch(() => null))?.result !== undefined,
    'a result of the new engine',
    timeoutMs,
  )
}
