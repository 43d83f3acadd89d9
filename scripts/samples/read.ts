import { readFileSync } from 'node:fs'

/** An operation of the OpenAPI document with its samples. */
export type Sampled = {
  id: string
  reads: boolean
  stream: boolean
  /** The source by language: `Shell`, `TypeScript`, `Python`, `Go`. */
  sources: Map<string, string>
}

type Operation = {
  operationId: string
  'x-trident': { kind: string }
  'x-codeSamples': { lang: string; source: string }[]
}

/** The samples of every operation of the document. */
export function readSamples(): Sampled[] {
  const { paths } = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8')) as {
    paths: Record<string, Record<string, Operation>>
  }
  return Object.values(paths).flatMap((methods) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      reads: method === 'get',
      stream: operation['x-trident'].kind === 'stream',
      sources: new Map(operation['x-codeSamples'].map(({ lang, source }) => [lang, source])),
    })),
  )
}
