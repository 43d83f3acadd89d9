import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Before anything else is loaded: a start then finds its modules compiled and without their types, by the one before.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/trident'))
await import('./wiring/start.ts')
