import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Emit } from '../kit/events.ts'
import { type Engine, startEngine } from './engine.ts'
import { endOrphans } from './orphans.ts'
import type { ReadBounds } from './reads.ts'

/** Starts an engine at the chain's genesis that retains so many states, at a priority from 0 to 19, the lowest. */
export type StartEngine = (states: number, niceness?: number) => Promise<Engine>

/** The folder of one chain, prepared for an engine. */
type ChainFolder = { dir: string; genesisFile: string; start: StartEngine; readSeconds: number }

/** Prepares a chain's folder. Engines that an earlier process left behind are ended. */
export function openFolder(options: {
  dir: string
  chainId: number
  kind: readonly string[]
  reads: ReadBounds
  emit: Emit
}): ChainFolder {
  const { dir, chainId, kind, reads, emit } = options
  const engineDir = join(dir, 'engine')
  const genesisFile = join(dir, 'genesis.json')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  for (const pid of endOrphans(engineDir)) emit({ type: 'engine-orphan-ended', pid })
  rmSync(engineDir, { recursive: true, force: true })
  const start: StartEngine = (states, niceness = 0) =>
    startEngine({ engineDir, genesisFile, chainId, kind, states, niceness, readSeconds: reads.seconds, emit })
  return { dir, genesisFile, start, readSeconds: reads.seconds }
}
