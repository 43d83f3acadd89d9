import type { Bound } from './bound.ts'
import { goSample } from './go.ts'
import { curlSample, pythonSample } from './rest.ts'
import { trpcSample } from './trpc.ts'

/** A sample of an operation, as readers of `x-codeSamples` show it. */
export type Sample = { lang: string; label: string; source: string }

/** How an operation is called with its own example: over REST in a shell and in Python, over tRPC and over gRPC. */
export function samplesOf(method: Bound): Sample[] {
  return [
    { lang: 'Shell', label: 'curl', source: curlSample(method) },
    { lang: 'TypeScript', label: 'TypeScript (tRPC)', source: trpcSample(method) },
    { lang: 'Python', label: 'Python (requests)', source: pythonSample(method) },
    { lang: 'Go', label: 'Go (gRPC)', source: goSample(method) },
  ]
}
