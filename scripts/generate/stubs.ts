import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Files, header } from './write.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const tools = join(root, 'node_modules/.bin')
/** Entries of `proto` that are written by hand. */
const byHand = ['buf.yaml', 'buf.gen.yaml']
/**
 * What errors carry of google.rpc. It stands apart from `proto`: callers have it from the library of their language, where a
 * second one would clash.
 */
const errorDetails = ['google/rpc/status.proto', 'google/rpc/error_details.proto']
/** The services that every gRPC server has, by their standard paths, from the packages that publish them. */
const standard = {
  'grpc/health/v1/health.proto': import.meta.resolve('grpc-health-check/proto/health/v1/health.proto'),
  'grpc/reflection/v1/reflection.proto': import.meta.resolve(
    '@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto',
  ),
}

/**
 * Stubs of the .proto files (paths from the folder `proto`) and of the standard services by ts-proto, and the descriptors
 * of all with their imports.
 */
export async function stubFiles(protos: ReadonlyMap<string, string>): Promise<Files> {
  const work = await mkdtemp(join(tmpdir(), 'trident-generate-'))
  try {
    const source = join(work, 'proto')
    await Promise.all(byHand.map((name) => cp(join(root, 'proto', name), join(source, name), { recursive: true })))
    for (const path of errorDetails) await cp(join(import.meta.dirname, path), join(source, path), { recursive: true })
    for (const [path, published] of Object.entries(standard))
      await cp(fileURLToPath(published), join(source, path), { recursive: true })
    for (const [path, text] of protos) {
      await mkdir(dirname(join(source, path)), { recursive: true })
      await writeFile(join(source, path), text)
    }
    await Promise.all([
      buf(work, ['generate', 'proto', '--template', 'proto/buf.gen.yaml', '--output', 'stubs', ...withoutStubs]),
      buf(work, [
        'build',
        'proto',
        '--as-file-descriptor-set',
        '--exclude-source-info',
        '--output',
        'descriptor.binpb',
      ]),
    ])
    return await collect(work)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** The package of health brings its own stubs; only its descriptor is needed. */
const withoutStubs = ['--exclude-path', 'proto/grpc/health']

async function buf(cwd: string, args: string[]): Promise<void> {
  const env = { ...process.env, PATH: `${tools}${delimiter}${process.env.PATH ?? ''}` }
  await run(join(tools, 'buf'), args, { cwd, env }).catch((error: unknown) => {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new Error(`buf ${args[0]} failed: ${said || String(error)}`, { cause: error })
  })
}

async function collect(work: string): Promise<Files> {
  const stubs = join(work, 'stubs')
  const names = (await readdir(stubs, { recursive: true })).filter((name) => name.endsWith('.ts')).sort()
  const texts = await Promise.all(names.map(async (name) => [name, await readFile(join(stubs, name), 'utf8')] as const))
  const descriptor = await readFile(join(work, 'descriptor.binpb'))
  return new Map<string, string | Uint8Array>([
    ...texts.map(([name, text]): [string, string] => [`generated/grpc/proto/${name}`, `// ${header}\n${text}`]),
    ['generated/grpc/descriptor.binpb', descriptor],
  ])
}
