import { z } from 'zod'
import { bounds } from '../shared/limits.ts'
import { operation } from '../shared/operation.ts'
import { freeInput, password, uuid } from '../shared/primitives.ts'
import { sample } from '../shared/samples.ts'
import { wallet, walletRef } from '../shared/values.ts'

const keystore = z.object({
  version: z.int32().describe('Always 3'),
  id: uuid.describe('Id of the file, new for each file'),
  address: z.string().describe('Address of the wallet, as 40 hex digits'),
  crypto: z
    .object({
      cipher: z.string().describe('aes-128-ctr'),
      cipherparams: z
        .object({ iv: z.string().describe('Initialisation vector of the cipher, as hex digits') })
        .meta({ id: 'KeystoreCipher', description: 'Parameters of the cipher' }),
      ciphertext: z.string().describe('The encrypted private key, as hex digits'),
      kdf: z.string().describe('scrypt'),
      kdfparams: z
        .object({
          dklen: z.int32().describe('Bytes of the derived key'),
          n: z.int32().describe('Cost of scrypt'),
          p: z.int32().describe('Parallelism of scrypt'),
          r: z.int32().describe('Block size of scrypt'),
          salt: z.string().describe('Salt, as hex digits'),
        })
        .meta({ id: 'KeystoreDerivation', description: 'How the key is derived from the password' }),
      mac: z.string().describe('Checksum that verifies the password, as hex digits'),
    })
    .meta({ id: 'KeystoreCrypto', description: 'The encrypted key' }),
})

const samplePassword = 'correct horse battery'

/** A keystore that opens fast with the sample's password: it has the scrypt cost of files for small machines. */
const sampleKeystore = {
  version: 3,
  id: 'c904aa14-a0ef-49f4-bcec-747b672a953e',
  address: '2f98224a2a2bd2850f0f2b8072ed1b547be112db',
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '7f62f4853f604fd298edf504351c0e4e' },
    ciphertext: '52fccda72fc2902a5800573f4ff75ded2c49fe08e2834e991e5bdfa1feceff6e',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 4_096,
      p: 6,
      r: 8,
      salt: '605bd3e0296b8e287e9b8f9ef8dca3541f8610c5530623da1d6ccef78ceb74d6',
    },
    mac: '8be679449b68ed5397a90973afe833250498cf35c577ae3a5f67746e2ff2763b',
  },
}

/** The wallets of an account: create, import and export. */
export const tradingWallets = {
  listWallets: operation({
    kind: 'unary',
    summary: 'List your wallets',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/wallets' },
    input: z.strictObject({}),
    output: z.array(wallet),
    errors: [],
    example: {
      input: {},
      output: [{ wallet_ref: 'default', address: sample.wallet, funded: true, custody: 'gateway' }],
    },
  }),

  createWallet: operation({
    kind: 'unary',
    summary: 'Create a wallet',
    description: 'At most ten wallets for each account. In the sandbox a new wallet is funded.',
    auth: 'session',
    scope: 'admin',
    rate: 'default',
    http: { method: 'POST', path: '/api/v1/wallets' },
    input: z.strictObject({ wallet_ref: walletRef.describe('Name of the new wallet') }),
    output: wallet,
    errors: ['ALREADY_EXISTS', 'FAILED_PRECONDITION'],
    example: {
      input: { wallet_ref: 'savings' },
      output: {
        wallet_ref: 'savings',
        address: '0x1c7e5b9a3d2f4860e8b1a6c4d0f7e93b5a2c8d46',
        funded: false,
        custody: 'gateway',
      },
    },
  }),

  importWallet: operation({
    kind: 'unary',
    summary: 'Import a wallet from a keystore file',
    description:
      'Accepts Web3 Secret Storage of version 3, as geth and others write it, with scrypt or pbkdf2. The wallet counts ' +
      'towards the ten wallets of the account and receives no sandbox funds.',
    auth: 'session',
    scope: 'admin',
    rate: 'keys',
    values: bounds.freeValues,
    http: { method: 'POST', path: '/api/v1/wallets/import' },
    input: z.strictObject({
      wallet_ref: walletRef.describe('Name for the wallet'),
      keystore: freeInput.describe('The content of the keystore file'),
      password: password.max(1_024).describe('Password of the keystore file'),
    }),
    output: wallet,
    errors: ['ALREADY_EXISTS', 'FAILED_PRECONDITION', 'UNAVAILABLE'],
    onDisconnect: 'finish',
    secret: true,
    example: {
      input: { wallet_ref: 'brought', keystore: sampleKeystore, password: samplePassword },
      output: {
        wallet_ref: 'brought',
        address: '0x2F98224a2A2bd2850F0F2b8072ed1b547bE112Db',
        funded: false,
        custody: 'gateway',
      },
    },
  }),

  exportWallet: operation({
    kind: 'unary',
    summary: 'Export the key of a wallet as a keystore file',
    description:
      'The response is the file: Web3 Secret Storage of version 3 with the password that you choose. The password of the ' +
      'account is required again. The wallet stays and can still trade.',
    auth: 'session',
    scope: 'admin',
    rate: 'keys',
    http: { method: 'POST', path: '/api/v1/wallets/{wallet_ref}/export' },
    input: z.strictObject({
      wallet_ref: walletRef,
      account_password: password.min(1).max(128).describe('Password of your account'),
      keystore_password: password.min(8).max(1_024).describe('Password for the new file, 8 characters or more'),
    }),
    output: keystore,
    errors: ['NOT_FOUND', 'PERMISSION_DENIED', 'FAILED_PRECONDITION', 'UNAVAILABLE'],
    secret: true,
    example: {
      input: {
        wallet_ref: 'default',
        account_password: samplePassword,
        keystore_password: 'staple of another kind',
      },
      output: sampleKeystore,
    },
  }),
}
