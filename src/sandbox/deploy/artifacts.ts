import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Abi, concat, encodeAbiParameters, type Hex, parseAbiParameters } from 'viem'

const require = createRequire(import.meta.url)

/** Creation code of a contract in an npm package. It is read from the package and never copied into this project. */
export function packagedCode(path: string): Hex {
  const { bytecode } = JSON.parse(readFileSync(require.resolve(path), 'utf8')) as { bytecode: string }
  return bytecode.startsWith('0x') ? (bytecode as Hex) : `0x${bytecode}`
}

/** ABI, creation code and deployed code of a contract of this project. */
export function ownArtifact(name: string): { abi: Abi; bytecode: Hex; deployedBytecode: Hex } {
  const file = new URL(`../contracts/artifacts/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as { abi: Abi; bytecode: Hex; deployedBytecode: Hex }
}

/** Creation code followed by its constructor's arguments. */
export function withArguments(code: Hex, types: string, values: readonly unknown[]): Hex {
  return concat([code, encodeAbiParameters(parseAbiParameters(types), values)])
}
