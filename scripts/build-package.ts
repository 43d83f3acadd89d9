import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * Compiles the gateway and its command into dist, beside the console: Node strips no types below node_modules, where an
 * installed package lies. Runs before npm packs.
 */
const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

/** What modules read from beside them, which the compiler does not know of. */
const assets = ['src/**/artifacts/*.json', 'src/**/deployments/*.json', 'src/console/tokens.css']

if (!existsSync(join(root, 'node_modules/typescript'))) {
  console.error('An archive is made with the development packages: run npm ci without --omit=dev first.')
  process.exit(1)
}
for (const part of ['src', 'generated']) rmSync(join(dist, part), { recursive: true, force: true })
const tsc = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc')
execFileSync(process.execPath, [tsc, '-p', join(root, 'scripts/tsconfig.package.json')], { stdio: 'inherit' })
for (const file of globSync(assets, { cwd: root })) cpSync(join(root, file), join(dist, file))
