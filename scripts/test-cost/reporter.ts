import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { alignedTable } from '../markdown-table.ts'
import { processorSeconds } from './process-tree.ts'

/** Files that take fewer processor seconds are added up. */
const leastListed = 1

/** Prints, at the end of a run, the processor and wall seconds of its files, the dearest first. */
export function costReporter(): Reporter {
  const begun = performance.now()
  return {
    onTestRunEnd(modules) {
      const files = modules.map(costOf).toSorted((a, b) => b.processor - a.processor)
      const [dear, rest] = [files.filter(isDear), files.filter((file) => !isDear(file))]
      const ofFiles = sum(files, 'processor')
      const all = processorSeconds(process.pid)
      const wall = (performance.now() - begun) / 1_000
      const rows = [
        ...dear,
        { name: `${rest.length} other files`, processor: sum(rest, 'processor'), wall: sum(rest, 'wall') },
        { name: 'the runner, and what all files share', processor: all - ofFiles, wall: 0 },
        { name: 'the whole run', processor: all, wall },
      ].filter(({ processor }) => processor > 0)
      const cells = rows.map(({ name, processor, wall }) => [
        name,
        processor.toFixed(1),
        wall > 0 ? wall.toFixed(1) : '',
      ])
      console.log(`\n${alignedTable([['file', 'processor s', 'wall s'], ...cells])}`)
    },
  }
}

const isDear = ({ processor }: Row) => processor >= leastListed

type Row = { name: string; processor: number; wall: number }

function costOf(module: TestModule): Row {
  const { processor, wall } = module.meta().cost ?? { processor: 0, wall: 0 }
  return { name: relative(module.project.config.root, module.moduleId), processor, wall }
}

function sum(rows: readonly Row[], key: 'processor' | 'wall'): number {
  return rows.reduce((total, row) => total + row[key], 0)
}
