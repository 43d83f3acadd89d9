import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Chains } from '../domain/ports/chains.ts'
import type { Ports } from '../domain/ports/index.ts'
import { chainOf, requireChecksum, tokenNamed } from '../domain/values/tokens.ts'
import type { McpParts } from '../protocols/mcp/server.ts'
import type { Words } from '../protocols/mcp/tools/run.ts'
import type { Config } from '../settings/config.ts'
import { masterKeyOf } from './shared-secrets.ts'

type Given = Pick<McpParts, 'document' | 'key' | 'newId' | 'now' | 'words'>

/** What MCP takes from the settings and the ports. `document` is the file with the generated list of tools. */
export function mcpPartsOf(config: Config, { chains, clock, ids }: Ports, document: URL): Given {
  return {
    document: JSON.parse(readFileSync(document, 'utf8')),
    // The master key is the secret that all processes of a gateway share. Nothing of it can be derived from this one.
    key: createHmac('sha256', masterKeyOf(config)).update('mcp confirmations').digest(),
    now: () => clock.now(),
    newId: () => ids.uuid(),
    words: wordsOf(chains),
  }
}

function wordsOf(chains: Chains): Words {
  return {
    chainId: (named) => named ?? chains.default.info.id,
    chainName: (chainId) => chainOf(chains, chainId, 'chain_id').info.name,
    token(chainId, named, field) {
      requireChecksum(named, field)
      return tokenNamed(chainOf(chains, chainId, 'chain_id'), named, field)
    },
  }
}
