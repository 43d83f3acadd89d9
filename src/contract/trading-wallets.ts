import { z } from 'zod'
import { operation } from './operation.ts'
import { freeObject, uuid } from './primitives.ts'
import { sample } from './samples.ts'
import { wallet, walletRef } from './values.ts'

const keystore = z.object({
  version: z.int32().describe('Always 3'),
  id: uuid.describe('Id of the file, made anew for each'),
  address: z.string().describe('Address of the wallet, as 40 hex digits'),
  crypto: z
    .object({
      cipher: z.string().describe('aes-128-ctr'),
      cipherparams: z
        .object({ iv: z.string().describe('Start value of the cipher, as hex digits') })
        .meta({ id: 'KeystoreCipher', description: 'Parameters of the cipher' }),
      ciphertext: z.string().describe('The enciphered private key, as hex digits'),
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
      mac: z.string().describe('Proof of the right password, as hex digits'),
    })
    .meta({ id: 'KeystoreCrypto', description: 'The enciphered key' }),
})

const sampleKeystore = {
  version: 3,
  id: '3198bc9c-6672-4ab3-9a2c-d1a0e7f4b9d5',
  address: '8a3f5c1e9b7d24608f1c3e5a7b9d0f2c4e6a8b1d',
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262_144,
      p: 1,
      r: 8,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
}

/** The wallets of an account: made here, brought along, or taken away. */
export const tradingWallets = {
  listWallets: operation({
    kind: 'unary',
    summary: 'List your wallets',
    auth: 'session',
    rate: 'default',
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
    description: 'Up to ten wallets an account. In the sandbox a new wallet is funded.',
    auth: 'session',
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
    summary: 'Bring a wallet along from a keystore file',
    description:
      'Takes Web3 Secret Storage of version 3, as geth and others write it, with scrypt or pbkdf2. The wallet counts ' +
      'among the ten of the account and gets no sandbox funds.',
    auth: 'session',
    rate: 'keys',
    http: { method: 'POST', path: '/api/v1/wallets/import' },
    input: z.strictObject({
      wallet_ref: walletRef.describe('Name to give the wallet'),
      keystore: freeObject.describe('The content of the keystore file'),
      password: z.string().max(1_024).describe('Password of the keystore file'),
    }),
    output: wallet,
    errors: ['ALREADY_EXISTS', 'FAILED_PRECONDITION', 'UNAVAILABLE'],
    onDisconnect: 'finish',
    secret: true,
    example: {
      input: { wallet_ref: 'brought', keystore: sampleKeystore, password: 'correct horse battery' },
      output: { wallet_ref: 'brought', address: sample.wallet, funded: false, custody: 'gateway' },
    },
  }),

  exportWallet: operation({
    kind: 'unary',
    summary: 'Take the key of a wallet away as a keystore file',
    description:
      'The answer is the file: Web3 Secret Storage of version 3 under the password you choose. The password of the ' +
      'account is asked for again. The wallet stays and can be traded from.',
    auth: 'session',
    rate: 'keys',
    http: { method: 'POST', path: '/api/v1/wallets/{wallet_ref}/export' },
    input: z.strictObject({
      wallet_ref: walletRef,
      account_password: z.string().min(1).max(128).describe('Password of your account'),
      keystore_password: z.string().min(8).max(1_024).describe('Password for the new file, 8 characters or more'),
    }),
    output: keystore,
    errors: ['NOT_FOUND', 'PERMISSION_DENIED', 'FAILED_PRECONDITION', 'UNAVAILABLE'],
    secret: true,
    example: {
      input: {
        wallet_ref: 'default',
        account_password: 'correct horse battery',
        keystore_password: 'staple of another kind',
      },
      output: sampleKeystore,
    },
  }),
}
