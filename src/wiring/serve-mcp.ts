import { readFileSync } from 'node:fs'
import type { Chains } from '../domain/ports/chains.ts'
import { chainOf, tokenNamed } from '../domain/values/tokens.ts'
import type { McpParts } from '../protocols/mcp/server.ts'
import type { Words } from '../protocols/mcp/tools/run.ts'

/** The tools and words of MCP over the connected chains. `document` is the file with the generated list of tools. */
export function toolsOf(chains: Chains, document: URL): Pick<McpParts, 'document' | 'words'> {
  return { document: JSON.parse(readFileSync(document, 'utf8')), words: wordsOf(chains) }
}

function wordsOf(chains: Chains): Words {
  return {
    chainId: (named) => named ?? chains.default.info.id,
    tokenAddress(chainId, named, field) {
      // The operation says itself what is wrong with an address.
      if (/^0x[0-9a-f]{40}$/i.test(named)) return named
      return tokenNamed(chainOf(chains, chainId, 'chain_id'), named, field).address
    },
  }
}
