import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** The file of each folder that runs always. */
const always: Record<string, string> = { 'test/faults': 'chat-cuts.test.ts', 'test/replicas': 'drill.test.ts' }

/** `count` of the names, drawn by the seed: another commit draws others, and the same commit the same. */
export function drawn(names: string[], seed: string, count: number): string[] {
  const place = (name: string) => createHash('sha256').update(`${seed} ${name}`).digest('hex')
  return names.toSorted((one, other) => (place(one) < place(other) ? -1 : 1)).slice(0, count)
}

/** Prints the tests of a folder that CI runs for a commit: the one that runs always, and as many others as asked for. */
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [seed = '', count = '2', folder = 'test/faults'] = process.argv.slice(2)
  const first = always[folder] ?? ''
  const others = readdirSync(folder).filter((name) => name.endsWith('.test.ts') && name !== first)
  for (const name of [first, ...drawn(others, seed, Number(count))]) console.log(`${folder}/${name}`)
}
