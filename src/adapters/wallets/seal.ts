import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const version = 'v3'
/** Texts of this version are bound to the address alone; each start seals them anew. */
const olderVersion = 'v2'
const ivBytes = 12
const tagBytes = 16

/** Whose wallet a key is: sealed for one owner, it opens for no other, wherever its row is moved. */
export type Owner = { userId: number; address: string }

/** Encrypts keys of wallets with a master key. */
export type Seal = {
  /** Seals with the current key. */
  close(secret: Uint8Array, owner: Owner): string
  /** Throws where the text was not sealed with one of the master keys for this owner. */
  open(sealed: string, owner: Owner): Buffer
  /** Opens texts of the version before too, which are bound to the address alone. */
  openAny(sealed: string, owner: Owner): Buffer
  /** The start of every text sealed with the current key; it reveals nothing about the key. */
  readonly prefix: string
  /** Seals with another of the master keys from now on. */
  sealWith(master: Uint8Array): void
}

/** AES-256-GCM with keys derived from 32 bytes each; the owner is authenticated. Earlier keys are for opening only. */
export function createSeal(present: Uint8Array, earlier: readonly Uint8Array[] = []): Seal {
  let { key, id } = derived(present)
  const ring = new Map([...earlier, present].map((master) => derived(master)).map((pair) => [pair.id, pair.key]))
  const prefix = () => `${version}.${id}.`

  function opened(sealed: string, owner: Owner, versions: readonly string[]): Buffer {
    const [form = '', keyId = '', text = ''] = sealed.split('.')
    const bytes = Buffer.from(text, 'base64url')
    if (!versions.includes(form) || bytes.length < ivBytes + tagBytes) throw new Error('This is not a sealed secret.')
    const known = ring.get(keyId)
    if (known === undefined) throw new Error('This secret was sealed with another master key.')
    const decipher = createDecipheriv('aes-256-gcm', known, bytes.subarray(0, ivBytes)).setAAD(labelOf(form, owner))
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()])
  }

  return {
    get prefix() {
      return prefix()
    },
    sealWith(master) {
      ;({ key, id } = derived(master))
    },
    close(secret, owner) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(labelOf(version, owner))
      const body = Buffer.concat([cipher.update(secret), cipher.final()])
      return `${prefix()}${Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64url')}`
    },
    open: (sealed, owner) => opened(sealed, owner, [version]),
    openAny: (sealed, owner) => opened(sealed, owner, [version, olderVersion]),
  }
}

function labelOf(form: string, { userId, address }: Owner): Buffer {
  const wallet = address.toLowerCase()
  return Buffer.from(form === olderVersion ? wallet : `account ${userId} ${wallet}`)
}

function derived(master: Uint8Array): { key: Buffer; id: string } {
  if (master.length !== 32) throw new Error('The master key must have 32 bytes.')
  const part = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', master, new Uint8Array(0), `trident wallet ${purpose}`, bytes))
  return { key: part('seal v2', 32), id: part('key id', 6).toString('hex') }
}
