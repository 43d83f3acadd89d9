import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { AuditHead } from '../src/adapters/storage/audit/audit.ts'
import { verifyAudit } from '../src/adapters/storage/audit/verify-audit.ts'
import { openForReading } from '../src/adapters/storage/connection/open-for-reading.ts'
import { environment, readConfig } from '../src/settings/config.ts'

/**
 * Reads the whole audit log of the configured database, and changes nothing. Ends with 1 where there is no log, where an
 * entry was changed, left out or put between, or where one of the `--expect` file is not in it. `--heads` prints the
 * newest entry of each account, a line `account entry hash` each: kept elsewhere, it is what `--expect` takes.
 */
async function main(): Promise<void> {
  const options = { heads: { type: 'boolean' }, expect: { type: 'string' } } as const
  const { values } = parseArgs({ options })
  const kept = values.expect === undefined ? [] : keptHeads(readFileSync(values.expect, 'utf8'))
  const config = readConfig(environment())
  await using database = await openForReading({ url: config.DATABASE_URL ?? null, dataDir: config.DATA_DIR })
  const { entries, heads, broken } = await verifyAudit(database, kept)
  if (broken !== null)
    throw new Error(`The audit log is broken: account ${broken.userId}, entry ${broken.seq}: ${broken.reason}.`)
  if (values.heads === true) for (const { userId, seq, hash } of heads) console.log(`${userId} ${seq} ${hash}`)
  // Beside the heads, not among them: they are for a file.
  const told = kept.length === 0 ? '' : ` All ${kept.length} that were expected are in it.`
  console.error(`The audit log holds: ${entries} entries of ${heads.length} accounts.${told}`)
}

const count = z.string().regex(/^\d{1,15}$/)
const line = z.tuple([count, count, z.string().regex(/^[0-9a-f]{64}$/)])

function keptHeads(text: string): AuditHead[] {
  const lines = text.split('\n').filter((one) => one.trim() !== '')
  return lines.map((one, index) => {
    const parsed = line.safeParse(one.trim().split(/\s+/))
    if (!parsed.success) throw new Error(`Line ${index + 1} of the expected heads is not "account entry hash".`)
    const [userId, seq, hash] = parsed.data
    return { userId: Number(userId), seq: Number(seq), hash }
  })
}

await main().catch((failure: unknown) => {
  console.error(failure instanceof Error ? failure.message : failure)
  process.exitCode = 1
})
