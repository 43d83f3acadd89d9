import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const version = 'v1'
const ivBytes = 12
const tagBytes = 16

/** Encrypts small secrets under one master key; what is sealed for one label cannot be opened for another. */
export type Seal = {
  close(secret: Uint8Array, label: string): string
  /** Throws where the text was not sealed with this master key for this label. */
  open(sealed: string, label: string): Buffer
}

/** AES-256-GCM with a key derived from 32 bytes; the label is authenticated with the secret. */
export function createSeal(masterKey: Uint8Array): Seal {
  if (masterKey.length !== 32) throw new Error('The master key must have 32 bytes.')
  const key = Buffer.from(hkdfSync('sha256', masterKey, new Uint8Array(0), 'trident wallet seal v1', 32))
  return {
    close(secret, label) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(label))
      const body = Buffer.concat([cipher.update(secret), cipher.final()])
      return `${version}.${Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64url')}`
    },
    open(sealed, label) {
      const [prefix, text = ''] = sealed.split('.')
      const bytes = Buffer.from(text, 'base64url')
      if (prefix !== version || bytes.length < ivBytes + tagBytes) throw new Error('This is not a sealed secret.')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes)).setAAD(Buffer.from(label))
      decipher.setAuthTag(bytes.subarray(-tagBytes))
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()])
    },
  }
}
