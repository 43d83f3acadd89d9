import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { whenGone } from './when-gone.ts'

/** A temporary folder that is removed when disposed of, or a second after this process ends, in whatever way. */
export function dataFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'trident-data-'))
  const guard = whenGone('sleep 1; rm -rf "$0"', path)
  return {
    path,
    [Symbol.dispose]() {
      guard[Symbol.dispose]()
      // The engines of a killed gateway may take a moment to end.
      rmSync(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
