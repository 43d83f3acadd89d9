import { spawn } from 'node:child_process'
import { once } from 'node:events'

// Runs the tests, or those of the files that are named, beside four endless loops of lower priority.
const loops = Array.from({ length: 4 }, () =>
  // A loop ends with this process, in whatever way that ends.
  spawn('nice', ['-n', '10', process.execPath, '-e', `while (process.ppid === ${process.pid}) {}`], {
    stdio: 'ignore',
  }),
)
const tests = spawn('npx', ['vitest', 'run', '--config', 'scripts/vitest.config.ts', ...process.argv.slice(2)], {
  stdio: 'inherit',
})
const [code] = await once(tests, 'exit')
for (const loop of loops) loop.kill()
process.exitCode = code ?? 1
