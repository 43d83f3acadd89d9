import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contract } from '../../src/contract/index.ts'
import { version } from '../../src/contract/shared/version.ts'
import { sentencesFile, wordsFile } from '../intent/words.ts'
import { clientFiles } from './client.ts'
import { contractTestFiles } from './contract-tests.ts'
import { convertersFile } from './converters.ts'
import { growLock, type Lock } from './field-numbers.ts'
import { mcpFile } from './mcp.ts'
import { growNames, type MessageNames } from './message-names.ts'
import { buildModel, type Groups } from './model.ts'
import { openapiFile } from './openapi.ts'
import { openrpcFile } from './openrpc.ts'
import { protoFiles } from './proto.ts'
import { servicesFile } from './services.ts'
import { stubFiles } from './stubs.ts'
import { trpcFiles } from './trpc.ts'
import { differences, type Files, header, writeFiles } from './write.ts'

const root = join(import.meta.dirname, '../..')
const lockPath = 'proto/field-numbers.lock.json'

/** Published names and numbers that must not change: of messages and of their fields. */
type LockFile = { names: MessageNames; fields: Lock }

/** The published files of a contract: documents, .proto files and their lock; with the model that they are made from. */
export async function renderPublished(contract: Groups, outDir: string) {
  const before = await readLock(outDir)
  const names = growNames(before.names, contract)
  const model = buildModel(contract, names)
  const lock: LockFile = { names, fields: growLock(before.fields, model.messages) }
  const protos = protoFiles(model, lock.fields)
  const files: Files = new Map([
    ['openapi/openapi.json', openapiFile(model, version)],
    ['openapi/openrpc.json', openrpcFile(model, version)],
    ...[...protos].map(([path, text]): [string, string] => [`proto/${path}`, text]),
    [lockPath, `${JSON.stringify(lock, null, 2)}\n`],
  ])
  return { model, lock, protos, files }
}

/** All generated files of a contract, by path. Names and numbers that `outDir` has locked do not change. */
export async function render(contract: Groups, outDir: string): Promise<Files> {
  const { model, lock, protos, files } = await renderPublished(contract, outDir)
  return new Map([
    ...files,
    ['generated/grpc/converters.ts', convertersFile(model, lock.fields)],
    ['generated/grpc/services.ts', servicesFile(model)],
    ['generated/grpc/values.ts', await runtimeFile('values.ts')],
    ['generated/grpc/wire.ts', await runtimeFile('wire.ts')],
    ...clientFiles(model, version),
    ...trpcFiles(model),
    ...contractTestFiles(model),
    ['generated/trpc/procedures.ts', await runtimeFile('procedures.ts')],
    ...(await stubFiles(protos)),
  ])
}

/** Writes all generated files of a contract below a folder. Returns the paths that changed. */
export async function generate(contract: Groups, outDir: string): Promise<string[]> {
  return await writeFiles(await render(contract, outDir), outDir)
}

/** Code that is the same for every contract. It is a separate file, so that it can be type-checked and tested. */
async function runtimeFile(name: string): Promise<string> {
  return `// ${header}\n${await readFile(join(import.meta.dirname, 'runtime', name), 'utf8')}`
}

async function readLock(outDir: string): Promise<LockFile> {
  const text = await readFile(join(outDir, lockPath), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '{"names":{},"fields":{}}'
    throw error
  })
  return JSON.parse(text)
}

if (import.meta.main) {
  const isCheck = process.argv.includes('--check')
  const words = wordsFile()
  // The weights are learned with the words, and have to find the new ones.
  const isNew = (await readFile(join(root, words[0]), 'utf8').catch(() => '')) !== words[1]
  if (!isCheck && isNew) await writeFile(join(root, words[0]), words[1])
  const { intentWeightsFile } = await import('./intent-weights.ts')
  const files: Files = new Map([
    ...(await render(contract, root)),
    words,
    sentencesFile(),
    intentWeightsFile(),
    mcpFile(),
  ])
  if (isCheck) {
    const stale = await differences(files, root)
    if (stale.length > 0) {
      console.error(
        `Not what the contract says; run "npm run generate":\n${stale.map((path) => `  ${path}`).join('\n')}`,
      )
      process.exitCode = 1
    }
  } else {
    const changed = [...(isNew ? [words[0]] : []), ...(await writeFiles(files, root))]
    console.log(changed.length === 0 ? 'Nothing has changed.' : changed.join('\n'))
  }
}
