import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../run-command.ts'

test('a run with a failed test ends with 1, whatever its files share', async () => {
  const script = join(import.meta.dirname, 'run-failing.ts')
  const { code, output } = await runCommand(process.execPath, [script], { limitSeconds: 120 })
  expect(output).toContain('1 failed')
  expect(code).toBe(1)
})
