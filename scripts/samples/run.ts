import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newEmail } from '../../test/accounts.ts'
import { restClient } from '../../test/clients/rest.ts'
import { startGateway } from '../../test/gateway-process.ts'
import { runCommand } from '../../test/run-command.ts'
import { whenGone } from '../../test/when-gone.ts'
import { drawn } from '../draw-faults.ts'
import { type Ground, makeGround } from './ground.ts'
import { readSamples, type Sampled } from './read.ts'

/** What became of a sample: `detail` says why it failed. */
export type SampleOutcome = { id: string; passed: boolean; detail: string }

const root = join(import.meta.dirname, '../..')
/** Milliseconds after which a stream has shown that it runs. */
const streamMs = 1_500
/** What a sample may be refused with, where the account has no such transfer or signer, or has run it in another language. */
const refusals: Record<string, RegExp> = {
  'chain.bridgeStatus': /Neither chain has a transfer/,
  'chain.watchBridge': /Neither chain has a transfer|404 Client Error/,
  'chain.claimFaucet': /has already claimed/,
  'trading.importWallet': /is a wallet of this gateway already/,
}

/** A language in which samples are run: how it ends a file name, sets a token, and runs a list of files one by one. */
type Language = {
  name: string
  ending: string
  token(name: string, value: string): string
  run(files: string[]): string[]
}

const languages: Language[] = [
  {
    name: 'Shell',
    ending: 'sh',
    token: (name, value) => `${name}='${value}'`,
    run: (files) => ['bash', join(import.meta.dirname, 'run.sh'), ...files],
  },
  {
    name: 'TypeScript',
    ending: 'ts',
    token: (name, value) => `process.env.${name} = '${value}'`,
    run: (files) => [process.execPath, join(import.meta.dirname, 'run-typescript.ts'), ...files],
  },
  {
    name: 'Python',
    ending: 'py',
    token: (name, value) => `import os; os.environ['${name}'] = '${value}'`,
    run: (files) => ['python3', join(import.meta.dirname, 'run.py'), ...files],
  },
]

/**
 * Runs the samples of the OpenAPI document as they stand, but for the values of the account: those of each operation that
 * reads, and `count` of the others, each of these on an account of its own, drawn by the seed. What operators change
 * changes it for the other samples, so it is not drawn.
 */
export async function runSamples(seed: string, count: number): Promise<SampleOutcome[]> {
  await using gateway = await startGateway()
  const client = restClient(gateway.urls.http)
  using files = new DisposableStack()
  files.defer(() => client.close())
  const folder = join(root, `.smoke-${process.pid}-samples`)
  files.use(whenGone('rm -rf "$0"', folder))
  files.defer(() => rmSync(folder, { recursive: true }))
  mkdirSync(folder)
  const ground = () => makeGround(client, gateway.urls.http)
  const shared = await ground()
  const all = readSamples()
  const others = drawn(
    all.filter(({ id, reads }) => !reads && !id.startsWith('operator.')).map(({ id }) => id),
    seed,
    count,
  )
  const runs = languages.map(async (language) => {
    const written: string[] = []
    for (const sampled of all)
      if (sampled.reads || others.includes(sampled.id)) {
        const file = join(folder, `${sampled.id}.${language.ending}`)
        writeFileSync(file, sourceOf(sampled, language, sampled.reads ? shared : await ground()))
        written.push(file)
      }
    return await outcomesOf(language, written)
  })
  return [...(await Promise.all(runs)).flat(), await typesOutcome(folder, all)]
}

/** Whether TypeScript takes the samples of all operations for calls of the contract. */
async function typesOutcome(folder: string, all: Sampled[]): Promise<SampleOutcome> {
  const typed = join(folder, 'types')
  mkdirSync(typed)
  for (const { id, sources } of all) writeFileSync(join(typed, `${id}.ts`), sources.get('TypeScript') ?? '')
  writeFileSync(join(typed, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include: ['*.ts'] }))
  const { code, output } = await runCommand('tsc', ['--noEmit', '--project', typed], { limitSeconds: 60 })
  return { id: 'TypeScript types', passed: code === 0, detail: output.slice(0, 600) }
}

/** The source of a sample with the values of an account. */
function sourceOf({ id, sources }: Sampled, { name, token }: Language, { tokens, values }: Ground): string {
  let source = sources.get(name) ?? ''
  for (const [made, real] of values)
    source = source.replaceAll(made, id === 'auth.register' && real.includes('@') ? newEmail() : real)
  return [...Object.entries(tokens).map(([variable, value]) => token(variable, value)), source, ''].join('\n')
}

/** Runs files one by one in one process, which begins the output of each with its name, and names what went wrong. */
async function outcomesOf({ name, ending, run }: Language, files: string[]): Promise<SampleOutcome[]> {
  const [command = '', ...words] = run(files)
  const env = { ...process.env, STREAM_SECONDS: String(streamMs / 1_000) }
  const { output } = await runCommand(command, words, { limitSeconds: 120, env })
  const [, ...parts] = output.split(/^@@ /m)
  const shown = new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]))
  return files.map((file) => {
    const text = shown.get(file) ?? 'it did not run'
    const id = file.slice(file.lastIndexOf('/') + 1, -ending.length - 1)
    const failed = text.trim() === '' || /^(!!|TRPCClientError)/m.test(text) || !shown.has(file)
    return { id: `${name} ${id}`, passed: !failed || refusals[id]?.test(text) === true, detail: text.slice(0, 600) }
  })
}
