import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { agentTools } from '../src/contract/agents/tools.ts'
import { operations } from '../src/contract/index.ts'
import { isBounded } from '../src/contract/shared/bounded.ts'

const root = join(import.meta.dirname, '..')

type Layer = { path: RegExp; mayImport: RegExp[]; npm: RegExp }

const nothing = /^$/
const contract = /^src\/contract\//
/** The part of the domain that adapters and protocols may import: errors, references of transactions, the ends of work. */
const core = /^src\/domain\/core\/(errors|reference|until-aborted)\.ts$/

/** Small helpers without imports of ours and without state, for every room. */
const kit = /^src\/kit\//

/** The arrows of the architecture, by room of `src`. `npm` matches the packages and node: modules that a room may use. */
const layers: Layer[] = [
  { path: kit, mayImport: [], npm: nothing },
  // The version stands in package.json; the checksum of an address needs a hash function.
  { path: contract, mayImport: [contract, /^package\.json$/], npm: /^(zod|viem\/utils)$/ },
  { path: /^src\/domain\//, mayImport: [contract, /^src\/domain\//, /^generated\/intent\//], npm: nothing },
  { path: /^src\/gateway\//, mayImport: [contract, /^src\/domain\//, /^src\/gateway\//], npm: /^zod$/ },
  {
    path: /^src\/protocols\//,
    mayImport: [contract, core, /^src\/gateway\/(gateway|once-each|request)\.ts$/, /^src\/protocols\//, /^generated\//],
    npm: /^(node:.*|eventsource-parser|fastify|jsonc-parser|marked|@modelcontextprotocol\/server|@fastify\/.*|@trpc\/.*|@grpc\/grpc-js|grpc-health-check|ws|@bufbuild\/protobuf(\/.*)?|zod)$/,
  },
  {
    path: /^src\/opstack\//,
    mayImport: [/^src\/domain\/(core\/errors|ports\/.*)\.ts$/, /^src\/opstack\//],
    npm: /^(node:.*|viem(\/.*)?)$/,
  },
  {
    path: /^src\/adapters\//,
    mayImport: [contract, core, /^src\/domain\/ports\//, /^src\/opstack\//, /^src\/adapters\//],
    npm: /^(node:.*|@ai-sdk\/openai-compatible|@ethereumjs\/wallet|@mikro-orm\/.*|@noble\/curves\/secp256k1|@zxcvbn-ts\/(core|language-common)|@scure\/btc-signer(\/.*)?|ai|eventsource-parser|ioredis|kysely|lru-cache|undici|viem(\/.*)?|ws|zod)$/,
  },
  {
    path: /^src\/sandbox\//,
    mayImport: [
      core,
      // Only for the names of the node methods: with them, a missing rule does not compile.
      /^src\/contract\/chain\/chain\.ts$/,
      /^src\/domain\/ports\//,
      /^src\/opstack\//,
      /^src\/sandbox\//,
      /^src\/adapters\/chain\/reads\/deployment\.ts$/,
    ],
    npm: /^(node:.*|@scure\/btc-signer(\/.*)?|@trpc\/.*|graphql|lru-cache|viem(\/.*)?|ws|zod)$/,
  },
  {
    path: /^src\/observe\//,
    mayImport: [contract, core, /^src\/domain\/ports\//, /^src\/observe\//, /^src\/gateway\/request-observer\.ts$/],
    npm: /^(node:async_hooks|@opentelemetry\/.*|pino|pino-pretty|prom-client)$/,
  },
  // Speaks to the gateway by the public contract alone.
  {
    path: /^src\/console\//,
    mayImport: [/^src\/console\//, /^generated\/client\//],
    npm: /^(minisearch|preact(\/hooks)?|@preact\/signals|@trpc\/client|@trpc\/server\/observable|eventsource|uplot(\/.*)?)$/,
  },
  // Commands start a gateway as a process, or are clients of a running one.
  {
    path: /^src\/cli\//,
    mayImport: [/^src\/cli\//, /^src\/kit\//, /^src\/contract\/shared\/version\.ts$/],
    npm: /^node:.*/,
  },
  { path: /^src\/settings\//, mayImport: [contract, /^src\/settings\//], npm: /^zod$/ },
  { path: /^src\/(main\.ts$|wiring\/)/, mayImport: [/^src\//, /^generated\//], npm: /^node:.*/ },
  {
    path: /^generated\//,
    mayImport: [/^generated\//, contract],
    npm: /^(@trpc\/server|@grpc\/grpc-js|@bufbuild\/protobuf(\/.*)?|node:.*)$/,
  },
]

/** Files with dynamic imports, and what they import. A computed target is listed as its source text. */
const dynamicImports: Record<string, string[]> = {
  'src/console/parts/chart.tsx': ['src/console/parts/chart-canvas.ts'],
  'src/main.ts': ['src/wiring/start.ts'],
  'src/adapters/limits/open-limits.ts': ['src/adapters/redis/connection.ts'],
  'src/adapters/accounts/passwords.ts': ['@zxcvbn-ts/core', '@zxcvbn-ts/language-common'],
  'src/wiring/open-assistant.ts': ['src/adapters/assistant/model-assistant.ts'],
  'src/wiring/open-observer.ts': ['src/observe/otlp-tracing.ts'],
}

test('every import follows the arrows of the architecture', () => {
  const files = [...sources('src'), ...sources('generated')]
  const imports = files.flatMap((file) => importsOf(file).map((target) => ({ file, target })))
  expect(imports.length).toBeGreaterThan(200)
  expect(imports.filter(({ file, target }) => !allowed(file, target))).toEqual([])
})

test('no protocol imports another, and what they share imports none', () => {
  const folderOf = (file: string) => /^src\/protocols\/(\w+)\//.exec(file)?.[1]
  const crossing = sources('src/protocols').flatMap((file) =>
    importsOf(file)
      .filter((target) => folderOf(target) !== undefined && folderOf(target) !== folderOf(file))
      .map((target) => ({ file, target })),
  )
  expect(crossing).toEqual([])
})

test('only listed files import while they run', () => {
  const found = [...sources('src'), ...sources('generated')].map((file) => [file, dynamicImportsOf(file)] as const)
  expect(Object.fromEntries(found.filter(([, targets]) => targets.length > 0))).toEqual(dynamicImports)
  const some = "await import('./a.ts'); import(`b`); import(name); import('./' + name)"
  expect(dynamicTargets(some)).toEqual(['./a.ts', 'b', 'name', "'./' + name"])
})

test('every source file belongs to a layer, and every layer has files', () => {
  const files = [...sources('src'), ...sources('generated')]
  expect(files.filter((file) => layerOf(file) === undefined)).toEqual([])
  expect(layers.filter(({ path }) => !files.some((file) => path.test(file)))).toEqual([])
})

test('npm start and trident start give the process the same settings', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const command = readFileSync(join(root, 'src/cli/trident.ts'), 'utf8')
  const [, arenas, space] = /^MALLOC_ARENA_MAX=(\d+) exec node (--\S+) src\/main\.ts$/.exec(scripts.start) ?? []
  expect(command).toContain(`MALLOC_ARENA_MAX: '${arenas}'`)
  expect(command).toContain(`'${space}'`)
})

test('only the configuration and the commands read the environment', () => {
  const readers = sources('src').filter((file) => readFileSync(join(root, file), 'utf8').includes('process.env'))
  // A command is a client of a gateway, with settings of its own.
  expect(readers).toEqual(['src/cli/trident.ts', 'src/settings/config.ts'])
})

test('only the observer writes logs, and only start-up and the commands write to standard output', () => {
  const writers = sources('src').filter(
    (file) =>
      !file.includes('/fixtures/') &&
      /\bconsole\.\w+\(|process\.std(out|err)|\bpino\(/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(writers).toEqual(['src/cli/trident.ts', 'src/observe/log.ts', 'src/wiring/start.ts'])
})

test('every list and record of an input counts before it reads', () => {
  const unbounded: string[] = []
  const walk = (schema: z.core.$ZodType, path: string): void => {
    const def = (schema as z.core.$ZodTypes)._zod.def
    if ((def.type === 'array' || def.type === 'record') && !isBounded(schema)) unbounded.push(path)
    for (const [name, part] of partsOf(def)) walk(part, `${path}.${name}`)
  }
  for (const [id, { input }] of operations()) walk(input, id)
  for (const [name, { input }] of Object.entries(agentTools)) walk(input, name)
  expect(unbounded).toEqual([])
})

/** The schemas that a schema is made of. */
function partsOf(def: z.core.$ZodTypes['_zod']['def']): [string, z.core.$ZodType][] {
  if (def.type === 'object') return Object.entries(def.shape)
  if (def.type === 'union') return def.options.map((option, index) => [`${index}`, option])
  if (def.type === 'array') return [['item', def.element]]
  if (def.type === 'record') return [['value', def.valueType]]
  if (def.type === 'pipe') return [['in', def.in]]
  return 'innerType' in def ? [['inner', def.innerType]] : []
}

test('no timer outlives its call: AbortSignal.timeout, which cannot be cleared, is not used', () => {
  const using = sources('src').filter((file) => readFileSync(join(root, file), 'utf8').includes('AbortSignal.timeout('))
  expect(using).toEqual([])
})

test('no import runs in a circle, types included', () => {
  expect(circles(sources('src'))).toEqual([])
})

test('no two folders import each other', () => {
  expect(twoWayPairs(sources('src'))).toEqual([])
})

test('a room has at most 20 files, migrations excepted', () => {
  const rooms = Map.groupBy(sources('src'), (file) => dirname(file))
  const large = [...rooms].filter(([, files]) => files.length > 20)
  expect(large.filter(([room]) => !room.includes('/migrations/')).map(([room]) => room)).toEqual([])
})

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts') && !name.includes('contract-tests'))
    .map((name) => join(folder, name))
    .sort()
}

/**
 * The targets of all imports and re-exports, dynamic and type-only ones too: project files as paths from the root,
 * packages by name.
 */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const { module } = parseSync(file, text)
  const statics = module.staticImports.map((item) => item.moduleRequest.value)
  const exports = module.staticExports.flatMap((item) =>
    item.entries.flatMap((entry) => entry.moduleRequest?.value ?? []),
  )
  return [...new Set([...statics, ...exports, ...dynamicTargets(text)])].map((name) => targetOf(file, name))
}

function dynamicImportsOf(file: string): string[] {
  return dynamicTargets(readFileSync(join(root, file), 'utf8')).map((name) => targetOf(file, name))
}

function dynamicTargets(text: string): string[] {
  return parseSync('source.ts', text).module.dynamicImports.map(({ moduleRequest: { start, end } }) =>
    text.slice(start, end).replace(/^(['"`])([^'"`$]*)\1$/, '$2'),
  )
}

function targetOf(file: string, name: string): string {
  return name.startsWith('.') ? relative(root, join(root, dirname(file), name)) : name
}

function layerOf(file: string): Layer | undefined {
  return layers.find((layer) => layer.path.test(file))
}

function allowed(file: string, target: string): boolean {
  const layer = layerOf(file)
  if (layer === undefined) return false
  const local = /^(src|generated|proto|openapi)\//.test(target) || target === 'package.json'
  return local ? [kit, ...layer.mayImport].some((rule) => rule.test(target)) : layer.npm.test(target)
}

/** Files that import themselves through other files. */
function circles(files: string[]): string[] {
  const known = new Set(files)
  const edges = new Map(files.map((file) => [file, importsOf(file).filter((target) => known.has(target))]))
  const state = new Map<string, 'open' | 'done'>()
  const found: string[] = []
  const visit = (file: string, trail: string[]): void => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      found.push([...trail.slice(trail.indexOf(file)), file].join(' -> '))
      return
    }
    state.set(file, 'open')
    for (const target of edges.get(file) ?? []) visit(target, [...trail, file])
    state.set(file, 'done')
  }
  for (const file of files) visit(file, [])
  return found
}

/** Folders, each with another one that it imports and that imports it. */
function twoWayPairs(files: string[]): string[] {
  const known = new Set(files)
  const arrows = new Set(
    files.flatMap((file) =>
      importsOf(file)
        .filter((target) => known.has(target))
        .map((target) => `${dirname(file)} <> ${dirname(target)}`),
    ),
  )
  const back = (pair: string) => pair.split(' <> ').reverse().join(' <> ')
  return [...arrows].filter((pair) => pair < back(pair) && arrows.has(back(pair))).sort()
}
