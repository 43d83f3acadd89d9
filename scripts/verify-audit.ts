import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { AuditHead } from '../src/adapters/storage/audit/audit.ts'
import { verifyAudit } from '../src/adapters/storage/audit/verify-audit.ts'
import { openForReading } from '../src/adapters/storage/connection/open-for-reading.ts'
import { readConfig } from '../src/settings/config.ts'
import { givenSettings } from '../src/wiring/given-settings.ts'

/**
 * Reads the whole audit log of the configured database and changes nothing. Ends with 1 where there is no log, where an
 * entry was changed, left out or inserted, or where one of the `--expect` file is missing. `--heads` prints the newest
 * entry of each account as a line `account entry hash`, for a later `--expect`.
 */
async function main(): Promise<void> {
  const options = { heads: { type: 'boolean' }, expect: { type: 'string' } } as const
  const { values } = parseArgs({ options })
  const expected = values.expect === undefined ? [] : readHeads(readFileSync(values.expect, 'utf8'))
  const config = readConfig(givenSettings())
  await using database = await openForReading({ url: config.DATABASE_URL ?? null, dataDir: config.DATA_DIR })
  const { entries, heads, broken } = await verifyAudit(database, expected)
  if (broken !== null)
    throw new Error(`The audit log is broken: account ${broken.userId}, entry ${broken.seq}: ${broken.reason}.`)
  if (values.heads === true) for (const { userId, seq, hash } of heads) console.log(`${userId} ${seq} ${hash}`)
  // This line goes to standard error, because standard output has the heads, which may be written to a file.
  const found = expected.length === 0 ? '' : ` All ${expected.length} expected entries are in it.`
  console.error(`The audit log is intact: ${entries} entries of ${heads.length} accounts.${found}`)
}

const count = z.string().regex(/^\d{1,15}$/)
const line = z.tuple([count, count, z.string().regex(/^[0-9a-f]{64}$/)])

function readHeads(text: string): AuditHead[] {
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
