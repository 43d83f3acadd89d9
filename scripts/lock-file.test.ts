import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Entry = { link?: true; integrity?: string }

test('every package of the lock file has the hash by which npm checks it', () => {
  const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')
  const packages: [string, Entry][] = Object.entries(JSON.parse(text).packages)
  const unchecked = packages.filter(([path, { link, integrity }]) => path !== '' && !link && !integrity)
  // npm leaves it out for packages of other platforms: `npm view <name>@<version> dist.integrity` prints it.
  expect(unchecked.map(([path]) => path)).toEqual([])
})
