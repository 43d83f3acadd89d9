import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/**
 * Path of the anvil executable for this machine. It is taken from the platform package, since the wrapper script of
 * `@foundry-rs/anvil` is one more process and leaves the real one behind when it is killed.
 */
export function anvilBinary(platform: string = process.platform, arch: string = process.arch): string {
  const name = `@foundry-rs/anvil-${platform}-${architectures[arch] ?? arch}`
  const wrapper = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
  try {
    return join(dirname(createRequire(wrapper).resolve(`${name}/package.json`)), 'bin', 'anvil')
  } catch (cause) {
    throw new Error(`the embedded chain needs ${name}, which is not installed: run npm install on this machine`, {
      cause,
    })
  }
}
