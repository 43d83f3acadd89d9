/**
 * Compiles the project's own Solidity to committed artifacts, so that nothing needs a compiler at run time.
 * With `--check` it writes nothing and fails when a committed artifact is not what its source compiles to.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { z } from 'zod'

const root = join(import.meta.dirname, '..')
const folders = ['src/sandbox/contracts', 'src/adapters/chain/contracts']

const outputSchema = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).optional(),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          abi: z.array(z.unknown()),
          evm: z.object({
            bytecode: z.object({ object: z.string() }),
            deployedBytecode: z.object({ object: z.string() }),
          }),
        }),
      ),
    )
    .optional(),
})

function compile(sources: Record<string, { content: string }>) {
  const solc = createRequire(import.meta.url)('solc') as { compile: (input: string) => string }
  const input = {
    language: 'Solidity',
    sources,
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'paris',
      // The TradeProbe holds three nested results at once, too many for the stack of the older code generator.
      viaIR: true,
      // The compiler is told to leave metadata out, so that the bytes depend on the code alone, not on comments or file
      // paths.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output = outputSchema.parse(JSON.parse(solc.compile(JSON.stringify(input))))
  const errors = (output.errors ?? []).filter((error) => error.severity === 'error')
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'))
  return output.contracts ?? {}
}

const check = process.argv.includes('--check')
const differing: string[] = []

for (const folder of folders) {
  const files = readdirSync(join(root, folder)).filter((file) => file.endsWith('.sol'))
  const sources = Object.fromEntries(
    files.map((file) => [file, { content: readFileSync(join(root, folder, file), 'utf8') }]),
  )
  const contracts = compile(sources)
  for (const file of files) {
    const name = basename(file, '.sol')
    const contract = contracts[file]?.[name]
    if (!contract) throw new Error(`${file} does not define a contract named ${name}`)
    const artifact = {
      abi: contract.abi,
      bytecode: `0x${contract.evm.bytecode.object}`,
      deployedBytecode: `0x${contract.evm.deployedBytecode.object}`,
    }
    const text = `${JSON.stringify(artifact, null, 2)}\n`
    const target = join(root, folder, 'artifacts', `${name}.json`)
    if (!check) {
      mkdirSync(join(root, folder, 'artifacts'), { recursive: true })
      writeFileSync(target, text)
    } else if (readOrEmpty(target) !== text) differing.push(`${folder}/artifacts/${name}.json`)
  }
}

if (differing.length > 0) {
  console.error(`Not what the sources compile to; run scripts/compile-contracts.ts:\n${differing.join('\n')}`)
  process.exitCode = 1
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
