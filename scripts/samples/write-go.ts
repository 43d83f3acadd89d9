import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSamples } from './read.ts'

// Writes the Go samples of the OpenAPI document into a folder as one program, which runs none of them: each main is a
// function of its own name.

const [folder = 'samples'] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const samples = readSamples().map(({ id, sources }) => ({
  name: `sample_${id.replace('.', '_')}`,
  source: sources.get('Go') ?? '',
}))
for (const { name, source } of samples)
  writeFileSync(join(folder, `${name}.go`), source.replace('func main()', `func ${name}()`))
const names = samples.map(({ name }) => name).join(', ')
writeFileSync(
  join(folder, 'main.go'),
  `package main\n\nfunc main() {\n\tfor _, sample := range []func(){${names}} {\n\t\t_ = sample\n\t}\n}\n`,
)
