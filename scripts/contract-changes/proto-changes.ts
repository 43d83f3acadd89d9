import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Change } from './change.ts'

const run = promisify(execFile)
const buf = join(import.meta.dirname, '../../node_modules/.bin/buf')
const baselineOf = (root: string) => join(root, 'proto/baseline.binpb')

/** Makes the present protobuf files of a project the baseline of its next changes. */
export async function takeBaseline(root: string): Promise<void> {
  await run(buf, ['build', join(root, 'proto'), '--exclude-source-info', '--output', baselineOf(root)])
}

/**
 * The findings of `buf breaking` for the protobuf files of a project against its baseline. Each is a breaking change.
 */
export async function protoChanges(root: string): Promise<Change[]> {
  const args = ['breaking', join(root, 'proto'), '--against', baselineOf(root), '--error-format', 'json']
  const said = await run(buf, args).then(
    () => '',
    (failure: { code?: unknown; stdout?: unknown; stderr?: unknown }) => {
      // The exit code 100 means findings; any other is a failure of the tool.
      if (failure.code !== 100) throw new Error(`buf breaking failed: ${failure.stderr}`)
      return String(failure.stdout)
    },
  )
  const lines = said.split('\n').filter((line) => line !== '')
  return lines.map((line) => ({ subject: 'protobuf', level: 'breaking', text: JSON.parse(line).message }))
}
