import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Before any other module is loaded, so that the compiled modules of an earlier start are reused.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/trident'))
await import('./wiring/start.ts')
