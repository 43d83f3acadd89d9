import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { whenGone } from './when-gone.ts'

/** A folder that is gone once it is disposed of, or a second after this process is, however that ends. */
export function dataFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'trident-data-'))
  const guard = whenGone('sleep 1; rm -rf "$0"', path)
  return {
    path,
    [Symbol.dispose]() {
      guard[Symbol.dispose]()
      // The engines of a gateway that was killed may take a moment to follow it.
      rmSync(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
