import type { Address } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Chain } from '../chain/chain.ts'
import type { Emit } from '../kit/events.ts'
import type { Ledger } from '../rollup/ledger.ts'
import { recordGenesis } from '../rollup/record.ts'
import { bootstrap } from './bootstrap.ts'
import { describeDeployment } from './describe.ts'
import type { World } from './world-file.ts'

export type BuildOptions = {
  chain: Chain
  parent: Chain
  ledger: Ledger
  chainId: number
  blockTimeSeconds: number
  treasury: Address
  keeper: PrivateKeyAccount
  emit: Emit
}

/** Deploys everything on two empty chains. The rollup begins at the last block of the bootstrap. */
export async function buildWorld(options: BuildOptions): Promise<World> {
  const { chain, parent, ledger, chainId, blockTimeSeconds, emit } = options
  const started = performance.now()
  const { number, hash } = parent.head()
  const l1 = { number, hash }
  await recordGenesis(ledger, chain.head(), l1, (method, params) => chain.read(method, params))
  await bootstrap(options)
  const built = chain.head()
  emit({ type: 'contracts-deployed', block: built.number, milliseconds: Math.round(performance.now() - started) })
  return {
    deployment: describeDeployment(chainId, blockTimeSeconds, built.number + 1),
    rollup: { l1, l2: { number: built.number, hash: built.hash }, l2_time: built.timestamp },
  }
}
