import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { takeBaseline } from '../contract-changes/proto-changes.ts'
import type { Mutation } from './mutation.ts'

const root = join(import.meta.dirname, '../..')
const parts = ['src', 'scripts', 'test', 'generated', 'proto', 'openapi', 'package.json', 'tsconfig.json']

/** A copy of the project whose contract counts as released: the baseline of the mutations. */
export async function releasedProject(folder: string): Promise<string> {
  await copy(root, folder)
  await takeBaseline(folder)
  return folder
}

/** A copy of the released project with a mutation in it. */
export async function mutatedProject(released: string, folder: string, mutation: Mutation): Promise<string> {
  await copy(released, folder)
  const path = join(folder, mutation.file)
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.slice(0, mutation.start) + mutation.to + text.slice(mutation.end))
  return folder
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  await Promise.all(parts.map((part) => cp(join(from, part), join(to, part), { recursive: true })))
  await symlink(join(root, 'node_modules'), join(to, 'node_modules'))
}
