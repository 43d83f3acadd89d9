import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

type Layer = { path: RegExp; mayImport: RegExp[]; npm: RegExp }

const nothing = /^$/
const contract = /^src\/contract\//
const domainErrors = /^src\/domain\/errors\.ts$/

/** The arrows of the architecture. `npm` matches the packages and node: modules that a layer may use. */
const layers: Layer[] = [
  { path: contract, mayImport: [contract], npm: /^zod$/ },
  { path: /^src\/domain\//, mayImport: [contract, /^src\/domain\//], npm: nothing },
  {
    path: /^src\/(gateway|validation|input-bounds|violation-words)\.ts$/,
    mayImport: [contract, /^src\/domain\//, /^src\/(validation|input-bounds|violation-words)\.ts$/],
    npm: /^zod$/,
  },
  {
    path: /^src\/protocols\//,
    mayImport: [contract, domainErrors, /^src\/gateway\.ts$/, /^src\/protocols\//, /^generated\//],
    npm: /^(node:.*|fastify|@fastify\/.*|@trpc\/.*|@grpc\/grpc-js|grpc-health-check|ws|@bufbuild\/protobuf(\/.*)?|zod)$/,
  },
  {
    path: /^src\/adapters\//,
    mayImport: [contract, domainErrors, /^src\/domain\/ports(\/.*)?\.ts$/, /^src\/adapters\//, /^src\/observe\//],
    npm: /^(node:.*|@mikro-orm\/.*|kysely|viem(\/.*)?|zod)$/,
  },
  {
    path: /^src\/sandbox\//,
    mayImport: [/^src\/sandbox\//, /^src\/adapters\/chain\/(deployment\.ts|contracts\/)/],
    npm: /^(node:.*|viem(\/.*)?|zod)$/,
  },
  { path: /^src\/observe\//, mayImport: [/^src\/observe\//, /^src\/gateway\.ts$/], npm: /^pino$/ },
  { path: /^src\/config\.ts$/, mayImport: [contract], npm: /^zod$/ },
  { path: /^src\/(main|application|open-ports)\.ts$/, mayImport: [/^src\//, /^generated\//], npm: /^node:.*/ },
  {
    path: /^generated\//,
    mayImport: [/^generated\//, contract],
    npm: /^(@trpc\/server|@grpc\/grpc-js|@bufbuild\/protobuf(\/.*)?|node:.*)$/,
  },
]

test('every import follows the arrows of the architecture', () => {
  const files = [...sources('src'), ...sources('generated')]
  const imports = files.flatMap((file) => importsOf(file).map((target) => ({ file, target })))
  expect(imports.length).toBeGreaterThan(200)
  expect(imports.filter(({ file, target }) => !allowed(file, target))).toEqual([])
})

test('every source file belongs to a layer', () => {
  const homeless = [...sources('src'), ...sources('generated')].filter((file) => layerOf(file) === undefined)
  expect(homeless).toEqual([])
})

test('only the configuration reads the environment', () => {
  const readers = sources('src').filter((file) => readFileSync(join(root, file), 'utf8').includes('process.env'))
  expect(readers).toEqual(['src/config.ts'])
})

test('no import runs in a circle', () => {
  expect(circles(sources('src'))).toEqual([])
})

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('contract-tests'))
    .map((name) => join(folder, name))
    .sort()
}

/** Targets of all imports and re-exports, type-only ones too: project files as paths from the root, packages as named. */
function importsOf(file: string, values = false): string[] {
  const { module } = parseSync(file, readFileSync(join(root, file), 'utf8'))
  const statics = module.staticImports
    .filter((item) => !values || item.entries.length === 0 || item.entries.some((entry) => !entry.isType))
    .map((item) => item.moduleRequest.value)
  const exports = module.staticExports.flatMap((item) =>
    item.entries.filter((entry) => !values || !entry.isType).flatMap((entry) => entry.moduleRequest?.value ?? []),
  )
  return [...new Set([...statics, ...exports])].map((name) =>
    name.startsWith('.') ? relative(root, join(root, dirname(file), name)) : name,
  )
}

function layerOf(file: string): Layer | undefined {
  return layers.find((layer) => layer.path.test(file))
}

function allowed(file: string, target: string): boolean {
  const layer = layerOf(file)
  if (layer === undefined) return false
  const local = /^(src|generated|proto|openapi)\//.test(target) || target === 'package.json'
  return local ? layer.mayImport.some((rule) => rule.test(target)) : layer.npm.test(target)
}

/** Files that import themselves through others, by value. */
function circles(files: string[]): string[] {
  const edges = new Map(files.map((file) => [file, importsOf(file, true).filter((target) => files.includes(target))]))
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
