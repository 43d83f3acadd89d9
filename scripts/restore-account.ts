import { parseArgs } from 'node:util'
import { restoreAccount } from '../src/adapters/storage/accounts/accounts.ts'
import { openDatabase } from '../src/adapters/storage/connection/database.ts'
import { openForReading } from '../src/adapters/storage/connection/open-for-reading.ts'
import { readConfig } from '../src/settings/config.ts'
import { givenSettings } from '../src/wiring/given-settings.ts'

const usage = 'npm run restore:account -- --id <account_id of the deletion> --email <e-mail to log in with>'

/** Restores an account of the configured database in the 30 days after its deletion; its password is the old one. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { id: { type: 'string' }, email: { type: 'string' } } })
  const { id = '', email = '' } = values
  if (!/^[1-9]\d{0,14}$/.test(id) || !/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254) throw new Error(usage)
  const config = readConfig(givenSettings())
  const settings = { url: config.DATABASE_URL ?? null, dataDir: config.DATA_DIR }
  await (await openForReading(settings))[Symbol.asyncDispose]() // throws where there is none
  await using database = await openDatabase(settings)
  await restoreAccount(database, Number(id), email, new Date())
  console.log(`Account ${id} is restored. Its owner logs in as ${email} with the old password.`)
}

await main().catch((failure: unknown) => {
  console.error(failure instanceof Error ? failure.message : failure)
  process.exitCode = 1
})
