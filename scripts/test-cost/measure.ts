import { afterAll } from 'vitest'
import { processorSeconds } from './process-tree.ts'

/** What a test file took: wall and processor seconds, those of the processes that it started included. */
export type FileCost = { processor: number; wall: number }

declare module 'vitest' {
  interface TaskMeta {
    cost?: FileCost
  }
}

// This file runs before each test file, so that the import of the test file counts too. Hooks that are declared first
// end last.
const begun = { processor: processorSeconds(process.pid), at: performance.now() }
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures the hook needs: none.
afterAll(({}, file) => {
  file.meta.cost = {
    processor: processorSeconds(process.pid) - begun.processor,
    wall: (performance.now() - begun.at) / 1_000,
  }
})
