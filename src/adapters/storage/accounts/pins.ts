import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../connection/database.ts'
import type { Tables } from '../connection/tables.ts'
import { PinEntity } from '../entities/pins.ts'

/** What replicas must share, as this process has it. */
export type SharedSecrets = {
  /** The master key of 32 bytes, and after it the other one of a rotation. */
  masterKeys: readonly [Uint8Array, ...Uint8Array[]]
  tokens: {
    /** All that verify, the one that signs first. */
    secrets: readonly [string, ...string[]]
    from: TokenSource
    /** The file was made by this start, because there was none. */
    isFresh: boolean
  }
  operatorToken: string
}

/** Where the secret that signs tokens comes from: TOKEN_SECRET, or token-keys.json. */
type TokenSource = 'setting' | 'file'

/** What this process learnt from the pins. */
export type Pinned = {
  /** The master key that seals: the other one of a rotation while a living replica does not know the new one. */
  sealsWith: Uint8Array
  /** A new token-keys.json took the place of one that was deleted. */
  endedLogins: boolean
  /** A living replica has another OPERATOR_TOKEN. */
  operatorTokensDiffer: boolean
}

/** Reads a block of a chain by number or tag; null where the node has none. */
type ReadBlock = (block: string) => Promise<{ number: bigint; hash: string } | null>

export type Pins = ReturnType<typeof openPins>

/** How long a process that died may still count as alive, and a little more. */
const patienceMs = 4_000

/** Names of pins. */
const [masterKeyPin, tokenPin] = ['MASTER_KEY', 'TOKEN_SECRET']

/**
 * Fingerprints of secrets and of chains in the database, which the first process stores and every later one must equal.
 * A fingerprint is an HMAC under the master key, so that a reader of the database cannot try secrets out.
 */
export function openPins(database: Database) {
  return {
    isPinned: async () => (await database.tables.findOne(PinEntity, masterKeyPin)) !== null,
    /**
     * Compares the secrets, and stores those that are new or rotated. Throws an Error that names the setting that differs
     * and says what to do.
     */
    async secrets(given: SharedSecrets): Promise<Pinned> {
      const until = Date.now() + patienceMs
      for (;;) {
        const { waits, ...pinned } = await database.transaction(async (tables) => {
          await tables.gate('pins', 'alone') // replicas may start at the same moment
          return await pinSecrets(database, tables, given)
        })
        if (!waits || Date.now() > until) return pinned
        await sleep(500)
      }
    },
    /** The one of these master keys that seals now, which a replica that starts later may have changed. */
    async sealsWith(masterKeys: SharedSecrets['masterKeys']): Promise<Uint8Array> {
      const pin = await database.tables.findOne(PinEntity, masterKeyPin)
      return masterKeys.find((key) => fingerprint(key) === pin?.value) ?? masterKeys[0]
    },
    /**
     * Stores the first block of a chain that the node has, or compares the stored one with the node's. Throws an Error where
     * the node has another.
     */
    async chain(chainId: number, read: ReadBlock): Promise<void> {
      const name = `chain ${chainId}`
      const stored = async () => await database.tables.findOne(PinEntity, name)
      if ((await stored()) === null) {
        const first = (await read('0x0')) ?? (await read('earliest'))
        if (first === null) return
        await database.tables.upsert(PinEntity, { name, value: first.hash, about: `${first.number}` }, 'ignore')
      }
      const pin = await stored()
      const block = pin === null ? null : await read(`0x${BigInt(pin.about).toString(16)}`)
      if (pin === null || block === null || block.hash === pin.value) return
      throw new Error(otherChain(chainId, pin, block.hash))
    },
  }
}

async function pinSecrets(database: Database, tables: Tables, given: SharedSecrets) {
  const { masterKeys } = given
  const pin = await tables.findOne(PinEntity, masterKeyPin)
  const pinnedKey = pin === null ? masterKeys[0] : masterKeys.find((key) => fingerprint(key) === pin.value)
  if (pinnedKey === undefined) throw new Error(otherMasterKey)
  const token = pin === null ? null : await tables.findOne(PinEntity, tokenPin)
  const endedLogins = checkTokens(given, pinnedKey, token, database.dialect === 'sqlite')
  const others = await introduce(database, tables, given)
  const isKnown = others.every(({ master_keys }) => shares(master_keys, [fingerprint(masterKeys[0])]))
  const sealsWith = isKnown ? masterKeys[0] : pinnedKey
  await tables.upsert(PinEntity, { name: masterKeyPin, value: fingerprint(sealsWith), about: '' })
  const value = fingerprint(sealsWith, given.tokens.secrets[0])
  await tables.upsert(PinEntity, { name: tokenPin, value, about: given.tokens.from })
  const own = fingerprints(given, given.operatorToken)
  const operatorTokensDiffer = others.some(({ operator_token }) => !shares(operator_token, own))
  return { sealsWith, endedLogins, operatorTokensDiffer, waits: sealsWith !== masterKeys[0] }
}

type PinRow = { value: string; about: string }

/**
 * Throws where none of the secrets is the pinned one. SQLite has one folder, so there a file that was made anew is one that
 * the operator deleted to end all logins; true is returned then. On PostgreSQL it may be that of a second replica.
 */
function checkTokens({ tokens }: SharedSecrets, key: Uint8Array, pin: PinRow | null, isAlone: boolean): boolean {
  if (pin === null || tokens.secrets.some((secret) => fingerprint(key, secret) === pin.value)) return false
  if (isAlone && tokens.isFresh && tokens.from === 'file' && pin.about === 'file') return true
  if (pin.about === 'file') throw new Error(`${tokens.from === 'file' ? twoFiles : noFile} ${lostTokenSecret}`)
  throw new Error(`${tokens.from === 'file' ? noTokenSecret : otherTokenSecret} ${lostTokenSecret}`)
}

type Other = { master_keys: string | null; operator_token: string | null }

/** Says what this process knows, and returns what the other living ones know. SQLite has one process. */
async function introduce({ dialect, holder }: Database, tables: Tables, given: SharedSecrets): Promise<Other[]> {
  if (dialect === 'sqlite') return []
  const keys = given.masterKeys.map((key) => fingerprint(key)).join(',')
  const token = fingerprints(given, given.operatorToken).join(',')
  await tables.run('update worker set master_keys = ?, operator_token = ? where id = ?', keys, token, holder)
  const living = 'select master_keys, operator_token from worker where until > now() and id <> ?'
  return await tables.query<Other>(living, holder)
}

/** True where a list has one of these fingerprints. One that is not known yet does not differ. */
function shares(list: string | null, wanted: readonly string[]): boolean {
  return list === null || list.split(',').some((one) => wanted.includes(one))
}

/** Fingerprints under each master key, since replicas amid a rotation may have only one in common. */
function fingerprints({ masterKeys }: SharedSecrets, secret: string): string[] {
  return masterKeys.map((key) => fingerprint(key, secret))
}

function fingerprint(masterKey: Uint8Array, secret?: string): string {
  const subject = secret === undefined ? 'trident pin master key' : `trident pin secret ${secret}`
  return createHmac('sha256', masterKey).update(subject).digest('hex')
}

const otherMasterKey =
  'MASTER_KEY is not that of this database, which was sealed with another master key. Start with that one: as MASTER_KEY, ' +
  'which all replicas share, or as master.key in DATA_DIR. To change the master key, give the old one as PREVIOUS_MASTER_KEY.'

const otherTokenSecret =
  'TOKEN_SECRET does not contain the secret that signs the tokens of this database. All replicas share TOKEN_SECRET. To change ' +
  'it, add the new one last on all replicas, then move it to the front, then remove the old one, one replica after another.'

const noTokenSecret =
  'TOKEN_SECRET is not set, and this database has one that signs its tokens. Set the TOKEN_SECRET of the other replicas here too.'

const twoFiles =
  'TOKEN_SECRET is not set, and token-keys.json in DATA_DIR is not the one that signs the tokens of this database. Replicas share ' +
  'TOKEN_SECRET (64 hex digits): set it on the replica that has the first token-keys.json and restart that one first, then set ' +
  'the same here. If this is the only replica, restore its token-keys.json.'

const noFile =
  'TOKEN_SECRET is new to this database, whose tokens are signed by the token-keys.json of another DATA_DIR. Start the replica ' +
  'that has that file with TOKEN_SECRET first, or restore the file to DATA_DIR; its tokens then stay valid until they end.'

const lostTokenSecret =
  "Where the old secret is lost, stop all replicas and run in the database: delete from pin where name = 'TOKEN_SECRET'. " +
  'That ends all logins.'

function otherChain(chainId: number, { value, about }: PinRow, found: string): string {
  return (
    `The chain ${chainId} is not the one of this database: its block ${about} is ${found}, not ${value}. It is a second embedded ` +
    'world, or CHAIN_RPC_URL names the nodes of another chain. Replicas share one world: give this one the same CHAIN_RPC_URL, or ' +
    'the SANDBOX_URL of npm run sandbox. If DATA_DIR ' +
    'or its folder chain was deleted or replaced, restore it, or begin anew with an empty DATA_DIR and an empty database.'
  )
}
