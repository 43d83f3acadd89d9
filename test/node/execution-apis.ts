import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parse } from 'yaml'

/** A recorded request with its recorded response, from the folder `tests`. */
export type Recorded = {
  file: string
  request: { method: string; params?: unknown[] }
  answer: { result?: unknown; error?: { code: number } }
}

/** The schemas and recorded requests of ethereum/execution-apis. */
export type Specification = {
  /** By method: whether a result matches its schema. */
  validators: ReadonlyMap<string, ValidateFunction>
  recorded: readonly Recorded[]
}

type Method = { name: string; result?: { schema: object } }

/** Reads schemas and recorded requests. */
export function readSpecification(folder: string): Specification {
  const schemas = Object.assign({}, ...yamlFiles(join(folder, 'src/schemas')))
  const methods = ['eth', 'debug', 'txpool']
    .map((group) => join(folder, 'src', group))
    // Older copies of the specification have no pool.
    .flatMap((group) => (existsSync(group) ? (yamlFiles(group).flat() as Method[]) : []))
  const ajv = new Ajv2020({ strict: false, allErrors: false })
  const validators = methods.flatMap(({ name, result }) =>
    result === undefined ? [] : [[name, ajv.compile({ ...result.schema, components: { schemas } })] as const],
  )
  return { validators: new Map(validators), recorded: recordedIn(join(folder, 'tests')) }
}

function yamlFiles(folder: string): unknown[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => parse(readFileSync(join(folder, name), 'utf8')) as unknown)
}

function recordedIn(folder: string): Recorded[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.io'))
  return files.toSorted().flatMap((file) => {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n')
    const of = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => JSON.parse(line.slice(2)))
    const answers = of('<<')
    return of('>>').map((request, index) => ({ file, request, answer: answers[index] }))
  })
}
