import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const version = 'v2'
const ivBytes = 12
const tagBytes = 16

/** Encrypts small secrets with a master key. A secret sealed for one label cannot be opened for another. */
export type Seal = {
  /** Seals with the current key. */
  close(secret: Uint8Array, label: string): string
  /** Throws where the text was not sealed with one of the master keys for this label. */
  open(sealed: string, label: string): Buffer
  /** The start of every text sealed with the current key; it reveals nothing about the key. */
  readonly prefix: string
}

/** AES-256-GCM with keys derived from 32 bytes each; the label is authenticated. Earlier keys are for opening only. */
export function createSeal(present: Uint8Array, earlier: readonly Uint8Array[] = []): Seal {
  const { key, id } = derived(present)
  const ring = new Map([...earlier, present].map((master) => derived(master)).map((pair) => [pair.id, pair.key]))
  const prefix = `${version}.${id}.`
  return {
    prefix,
    close(secret, label) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(label))
      const body = Buffer.concat([cipher.update(secret), cipher.final()])
      return `${prefix}${Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64url')}`
    },
    open(sealed, label) {
      const [form, keyId = '', text = ''] = sealed.split('.')
      const bytes = Buffer.from(text, 'base64url')
      if (form !== version || bytes.length < ivBytes + tagBytes) throw new Error('This is not a sealed secret.')
      const known = ring.get(keyId)
      if (known === undefined) throw new Error('This secret was sealed with another master key.')
      const decipher = createDecipheriv('aes-256-gcm', known, bytes.subarray(0, ivBytes)).setAAD(Buffer.from(label))
      decipher.setAuthTag(bytes.subarray(-tagBytes))
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()])
    },
  }
}

function derived(master: Uint8Array): { key: Buffer; id: string } {
  if (master.length !== 32) throw new Error('The master key must have 32 bytes.')
  const part = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', master, new Uint8Array(0), `trident wallet ${purpose}`, bytes))
  return { key: part('seal v2', 32), id: part('key id', 6).toString('hex') }
}
