import { operations } from '../../../src/contract/index.ts'
import type { Operation } from '../../../src/contract/shared/operation.ts'
import { parseInput } from '../../../src/gateway/validation.ts'
import { hostileInputs } from '../../../test/contract/hostile-inputs.ts'
import { median } from '../../percentiles.ts'
import type { Bench, Figure } from '../figures.ts'

const rounds = 5
const shown = 10

/**
 * What a refused input costs on the loop that also makes blocks: of each operation the dearest of those that hold as many
 * broken values as it takes, beside reading the JSON of the same input. The ten worst.
 */
export const bench: Bench = async () => {
  const figures = operations().map(([id, operation]) => dearest(id, operation))
  return figures.toSorted((a, b) => median(b.rounds) - median(a.rounds)).slice(0, shown)
}

function dearest(id: string, operation: Operation): Figure {
  const measured = hostileInputs(operation).map((input) => {
    const json = JSON.stringify(input)
    const refuse = () => {
      try {
        parseInput(operation.input, input, { values: operation.values })
      } catch {
        // It is refused, which is measured.
      }
    }
    refuse() // compiles it
    const what = `${id}, ${Math.round(json.length / 1_024)} KiB`
    const floor = { name: 'its JSON read', rounds: timed(() => JSON.parse(json)) }
    return { what, unit: 'ms' as const, rounds: timed(refuse), floor }
  })
  return measured.reduce((worst, figure) => (median(figure.rounds) > median(worst.rounds) ? figure : worst))
}

function timed(work: () => unknown): number[] {
  return Array.from({ length: rounds }, () => {
    const begun = performance.now()
    work()
    return performance.now() - begun
  })
}
