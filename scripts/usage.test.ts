import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test.each([
  ['bench', ['nothing'], 'There is no benchmark "nothing": requests, '],
  ['bench', ['fan-out', 'abc'], 'Sizes are whole numbers from 1 on.'],
  ['bench', ['chain', '--write'], 'leave the name out'],
  ['mutations', ['abc'], 'npm run test:mutations -- [how many] [seed]'],
  ['mutations', ['0'], 'npm run test:mutations -- [how many] [seed]'],
  ['replicas', ['none'], 'npm run replicas -- [how many gateways, 1 to 8]'],
  ['replicas', ['9'], 'npm run replicas -- [how many gateways, 1 to 8]'],
  ['contract-changes', ['--release', '2026-01-31'], 'npm run contract:release'],
])('%s with %j says how it is used, before any work', async (script, words, usage) => {
  const run = promisify(execFile)(process.execPath, [join(import.meta.dirname, script, 'index.ts'), ...words])
  await expect(run).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(usage) })
})
