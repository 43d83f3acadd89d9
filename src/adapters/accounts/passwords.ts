import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'
import type { Guess, PasswordLine, Passwords } from '../../domain/ports/accounts.ts'
import { createQueue, type Queue } from '../async/queue.ts'
import type { Guesses } from '../limits/guesses.ts'

/** The cost of one hash, memory in KiB and passes: the argon2id profile of OWASP. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const

const nonceBytes = 16
const tagBytes = 32

/**
 * Estimates after how many guesses a password is found. It looks at the beginning alone, since its time grows with the
 * length. Its lists take 10 MB, so they are loaded for the first new password.
 */
async function loadEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: 40 })
}

type Hashed = { nonce: Buffer; tag: Buffer; memory: number; passes: number; parallelism: number }

/**
 * argon2id, one hash at a time in each line. Past `waiting` callers a line refuses more, so that many cost time and not
 * memory.
 */
export function createPasswords(guesses: Guesses, waiting = 100): Passwords {
  const lineOf = (what: string) =>
    createQueue({ atOnce: 1, waiting, full: `Too many ${what} at once; try again in a few seconds.` })
  const lines: Record<PasswordLine, Queue> = {
    login: lineOf('logins'),
    registration: lineOf('registrations'),
    account: lineOf('checks of passwords'),
  }
  let estimator: Promise<ZxcvbnFactory> | undefined
  // Used for an account that does not exist, so that the login takes as long; no password matches it.
  const unmatchable: Hashed = { nonce: randomBytes(nonceBytes), tag: randomBytes(tagBytes), ...cost }

  /** Whether the password matches. A guess that was wrong stays counted, and the last one has its end. */
  async function countedMatch({ password, hash, ...counted }: Guess): Promise<boolean> {
    const { takeBack, isLast } = await guesses.count(counted)
    let isWrong = false
    try {
      const known = hash === null ? unmatchable : decode(hash)
      const tag = await derive(password, known)
      isWrong = tag.length !== known.tag.length || !timingSafeEqual(tag, known.tag) || hash === null
      return !isWrong
    } finally {
      if (!isWrong) await takeBack()
      else if (isLast) await counted.end?.()
    }
  }

  return {
    async hash(line, password) {
      const nonce = randomBytes(nonceBytes)
      return encode({ nonce, tag: await lines[line](() => derive(password, { nonce, ...cost })), ...cost })
    },
    async verify(guess) {
      // Who may not guess any more need not wait to hear it.
      await guesses.check(guess)
      return await lines[guess.line](async () => await countedMatch(guess))
    },
    async isGuessedFirst(password, email) {
      estimator ??= loadEstimator()
      return (await estimator).check(password, [email]).guesses <= 10_000
    },
  }
}

function derive(password: string, { nonce, memory, passes, parallelism }: Omit<Hashed, 'tag'>): Promise<Buffer> {
  const parameters = { message: password, nonce, memory, passes, parallelism, tagLength: tagBytes }
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(tag)))
  })
}

/** A PHC string: it contains the parameters, so old hashes stay readable after a change of the cost. */
function encode({ nonce, tag, memory, passes, parallelism }: Hashed): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${bare(nonce)}$${bare(tag)}`
}

function decode(text: string): Hashed {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text)
  if (parts === null) throw new Error('a stored password hash cannot be read')
  const [, memory, passes, parallelism, nonce = '', tag = ''] = parts
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(nonce, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

const bare = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
