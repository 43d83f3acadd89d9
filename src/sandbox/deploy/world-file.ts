import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Address } from 'viem'
import { z } from 'zod'
import type { Deployment } from '../../adapters/chain/reads/deployment.ts'
import { listLogs, listSnapshots, logFile, marketFile, snapshotFile, storeFile, writeWhole } from '../kit/files.ts'
import type { RollupGenesis } from '../rollup/facts.ts'
import { describeDeployment } from './describe-deployment.ts'

/** To be raised by every change of contracts, addresses, amounts or file formats that existing folders cannot follow. */
const layout = 4

/** The description of a finished folder: its contracts, and where the rollup begins. */
export type World = { deployment: Deployment; rollup: RollupGenesis }

const schema = z.object({
  layout: z.number(),
  chainId: z.number(),
  treasury: z.string(),
  deployment: z.custom<Deployment>(),
  rollup: z.custom<RollupGenesis>(),
})

/** Reads the description that an earlier start wrote, or null where none was finished. */
export function readWorld(dir: string, expected: { chainId: number; treasury: Address }): World | null {
  const file = join(dir, 'world.json')
  if (!existsSync(file)) return null
  const world = schema.parse(JSON.parse(readFileSync(file, 'utf8')))
  if (world.layout !== layout)
    throw new Error(
      `${dir} is from another version of the sandbox (layout ${world.layout}, now ${layout}): delete it to start again`,
    )
  if (world.chainId !== expected.chainId)
    throw new Error(`${dir} holds chain ${world.chainId}, not ${expected.chainId}: delete it or set the chain id back`)
  if (world.treasury !== expected.treasury)
    throw new Error(`${dir} belongs to another treasury key: restore the key or delete the folder`)
  // Described anew: a version before may have known less about the same contracts.
  const { block_time_seconds: blockTime, first_traded_block: firstTraded = 0 } = world.deployment
  return { deployment: describeDeployment(world.chainId, blockTime, firstTraded), rollup: world.rollup }
}

/** The file of the rollup's ledger. */
export function ledgerFile(dir: string): string {
  return join(dir, 'rollup.sqlite')
}

/** The folder of the parent chain. */
export function parentFolder(dir: string): string {
  return join(dir, 'parent')
}

/** Writes the description, which marks the folder as finished. */
export function writeWorld(dir: string, world: World & { chainId: number; treasury: Address }): void {
  writeWhole(join(dir, 'world.json'), `${JSON.stringify({ layout, ...world }, null, 2)}\n`)
}

/** Removes the files of a start that ended before the folder was finished. Nobody can have used them. */
export function removeUnfinished(dir: string): void {
  if (listSnapshots(dir).length > 0)
    throw new Error(`${dir} has a chain but no world.json: restore that file, or delete the folder to start again`)
  const parent = parentFolder(dir)
  for (const after of listLogs(dir)) rmSync(logFile(dir, after))
  for (const after of listLogs(parent)) rmSync(logFile(parent, after))
  for (const block of listSnapshots(parent)) rmSync(snapshotFile(parent, block))
  rmSync(marketFile(dir), { force: true })
  for (const file of [ledgerFile(dir), storeFile(dir), storeFile(parent)])
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}
