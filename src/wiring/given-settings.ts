import { readFileSync } from 'node:fs'
import { environment, withSecretFiles } from '../settings/config.ts'

/** What this process is given as settings: its environment, and the secrets in the files that it names. */
export function givenSettings(): Record<string, string | undefined> {
  return withSecretFiles(environment(), (file) => readFileSync(file, 'utf8'))
}
