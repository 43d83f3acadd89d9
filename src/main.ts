import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// The compile cache is enabled before any other module is loaded, so that an earlier start's compiled modules are
// reused.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/trident'))
await import('./wiring/start.ts')
