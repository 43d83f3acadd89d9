import { createHash, randomUUID } from 'node:crypto'
import type { Clock, Hashing, Ids } from '../../domain/ports/system.ts'

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() }

/** Random identifiers of the machine. */
export const randomIds: Ids = { uuid: () => randomUUID() }

/** SHA-256 of the machine's own library. */
export const nodeHashing: Hashing = { sha256: (text) => createHash('sha256').update(text, 'utf8').digest('hex') }
