import { verifyAudit } from '../src/adapters/storage/audit.ts'
import { openDatabase } from '../src/adapters/storage/database.ts'
import { environment, readConfig } from '../src/config.ts'

/** Reads the whole audit log of the configured database; ends with 1 where an entry was changed, left out or put between. */
const config = readConfig(environment())
await using database = await openDatabase({ url: config.DATABASE_URL ?? null, dataDir: config.DATA_DIR })
const { entries, accounts, broken } = await verifyAudit(database)
if (broken === null) console.log(`The audit log holds: ${entries} entries of ${accounts} accounts.`)
else {
  console.error(`The audit log is broken: account ${broken.userId}, entry ${broken.seq}: ${broken.reason}.`)
  process.exitCode = 1
}
