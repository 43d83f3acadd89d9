import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where `install.sh` puts go-ethereum, outside of the checkout, so that it is built once for all of them. */
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
export const gethBinary = join(cache, 'trident/go-ethereum/v1.17.0/geth')

/** True where go-ethereum is not installed; a test that is skipped for it says so. */
export const noGeth = !existsSync(gethBinary)

/** What is printed once where tests are skipped. */
export const noGethReason = 'SKIPPED, no go-ethereum: bash test/real-node/install.sh builds it where Go is installed.'
