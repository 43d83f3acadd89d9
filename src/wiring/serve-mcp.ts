import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { storedSecret } from '../adapters/system/secret-files.ts'
import type { Chains } from '../domain/ports/chains.ts'
import { chainOf, requireChecksum, tokenNamed } from '../domain/values/tokens.ts'
import type { McpParts } from '../protocols/mcp/server.ts'
import type { Words } from '../protocols/mcp/tools/run.ts'
import type { Config } from '../settings/config.ts'

/** The tools and words of MCP over the connected chains. `document` is the file with the generated list of tools. */
export function toolsOf(config: Config, chains: Chains, document: URL): Pick<McpParts, 'document' | 'key' | 'words'> {
  const masterKey = config.MASTER_KEY ?? storedSecret(config.DATA_DIR, 'master.key')
  return {
    document: JSON.parse(readFileSync(document, 'utf8')),
    // The master key is the secret that all processes of a gateway share. Nothing of it can be derived from this one.
    key: createHmac('sha256', Buffer.from(masterKey, 'hex')).update('mcp confirmations').digest(),
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
