import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'

/**
 * Preloaded into a process; at exit it writes the number of code files that were loaded: the project's own, and all.
 */
let own = 0
let all = 0
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) {
      all += 1
      if (!url.includes('/node_modules/')) own += 1
    }
    return next(url, context)
  },
})
const { COUNT_MODULES_IN: file } = process.env
if (file !== undefined && isMainThread) process.once('exit', () => writeFileSync(file, `${own} ${all}`))
