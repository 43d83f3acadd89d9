import { readTokenKeys, tokenKeysOf } from '../adapters/accounts/token-keys.ts'
import { openPins, type Pins, type SharedSecrets } from '../adapters/storage/accounts/pins.ts'
import type { openWallets } from '../adapters/storage/accounts/wallets.ts'
import type { Database } from '../adapters/storage/connection/database.ts'
import { storedSecret } from '../adapters/system/secret-files.ts'
import { sealAnew } from '../adapters/wallets/reseal.ts'
import { createSeal, type Seal } from '../adapters/wallets/seal.ts'
import type { Hex } from '../domain/ports/chains.ts'
import type { Observer } from '../observe/observer.ts'
import type { Config } from '../settings/config.ts'

export const operatorTokenFile = 'operator.token'

/** The token of operator calls: the setting, or the one in the data directory. */
export function operatorTokenOf({ DATA_DIR, OPERATOR_TOKEN }: Config): string {
  return OPERATOR_TOKEN ?? storedSecret(DATA_DIR, operatorTokenFile)
}

/** The key of all secrets that are stored; the same in all processes of a gateway. */
export function masterKeyOf({ MASTER_KEY, DATA_DIR }: Config): Buffer {
  return Buffer.from(MASTER_KEY ?? storedSecret(DATA_DIR, 'master.key'), 'hex')
}

/** The master key, and the other one of a rotation. */
function masterKeysOf(config: Config): [Buffer, ...Buffer[]] {
  const { PREVIOUS_MASTER_KEY: previous } = config
  return [masterKeyOf(config), ...(previous === undefined ? [] : [Buffer.from(previous, 'hex')])]
}

type Wallets = ReturnType<typeof openWallets>

/**
 * Compares what replicas share with the pins of the database before anything else is written there, and seals the wallet
 * keys with the master key in force. Throws an Error that names what differs. Disposing ends the watch of a rotation.
 */
export async function openSecrets(
  config: Config,
  database: Database,
  wallets: Wallets,
  observer: Observer,
): Promise<{ pins: Pins; seal: Seal } & Disposable> {
  const pins = openPins(database)
  const masterKeys = masterKeysOf(config)
  const seal = createSeal(masterKeys[0], masterKeys.slice(1))
  // A database of an earlier version has wallets and no pins: a wrong key must fail here, and not become the pin.
  if (!(await pins.isPinned())) await sealAnew(wallets, seal)
  const tokens = tokensOf(config)
  const { sealsWith, endedLogins, operatorTokensDiffer } = await pins.secrets({
    masterKeys,
    tokens,
    operatorToken: operatorTokenOf(config),
  })
  if (endedLogins) observer.secretDiffers({ setting: 'TOKEN_SECRET', why: newTokenKeys })
  if (operatorTokensDiffer) observer.secretDiffers({ setting: 'OPERATOR_TOKEN', why: otherOperator })
  seal.sealWith(sealsWith)
  await sealAnew(wallets, seal)
  const failed = (error: unknown) => observer.background({ task: 'master key', error, triesAgain: true })
  const end = masterKeys.length === 1 ? () => undefined : followRotation(pins, masterKeys, { wallets, seal, failed })
  return { pins, seal, [Symbol.dispose]: end }
}

const newTokenKeys = 'token-keys.json was not in DATA_DIR: a new one was made, and every login before it has ended'

const otherOperator = 'another running replica has another OPERATOR_TOKEN: each accepts its own alone'

/** The secrets that verify tokens; those of token-keys.json are made where there is neither. */
function tokensOf({ DATA_DIR, TOKEN_SECRET = [] }: Config): SharedSecrets['tokens'] {
  const isFresh = TOKEN_SECRET.length === 0 && readTokenKeys(DATA_DIR) === null
  const [first, ...others] = tokenKeysOf(DATA_DIR, TOKEN_SECRET, new Date()).map(({ secret }) => secret)
  if (first === undefined) throw new Error('The gateway has no key to sign tokens with.')
  return { secrets: [first, ...others], from: TOKEN_SECRET.length === 0 ? 'file' : 'setting', isFresh }
}

/** How soon a replica seals with the key that the last replica of a rotation put in force. */
const followMs = 2_000

/** Seals with the key in force while a master key is rotated, and seals anew what this process sealed before. */
function followRotation(
  pins: Pins,
  masterKeys: SharedSecrets['masterKeys'],
  { wallets, seal, failed }: { wallets: Wallets; seal: Seal; failed: (error: unknown) => void },
): () => void {
  let running = false
  let [before, rounds] = [seal.prefix, 0]
  const follow = async () => {
    seal.sealWith(await pins.sealsWith(masterKeys))
    // Twice: a wallet that was sealed before the change may be stored after the first round.
    if (seal.prefix !== before) [before, rounds] = [seal.prefix, 2]
    if (rounds === 0) return
    await sealAnew(wallets, seal)
    rounds -= 1
  }
  const timer = setInterval(() => {
    if (running) return
    running = true
    void follow()
      .catch(failed)
      .finally(() => {
        running = false
      })
  }, followMs).unref()
  return () => clearInterval(timer)
}

/** Calls a node of a chain directly. */
type CallNode = (method: string, params: unknown[]) => Promise<unknown>

/** Compares the first block of a chain with the pinned one; does nothing where the node does not serve it. */
export async function pinChain(pins: Pins, chainId: number, call: CallNode): Promise<void> {
  await pins.chain(chainId, async (block) => {
    const found = await call('eth_getBlockByNumber', [block, false]).catch(() => null)
    if (typeof found !== 'object' || found === null) return null
    const { number, hash } = found as { number?: unknown; hash?: unknown }
    if (typeof number !== 'string' || typeof hash !== 'string') return null
    return { number: BigInt(number), hash: hash as Hex }
  })
}
