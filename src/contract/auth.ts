import { z } from 'zod'
import { grant, grantInput, overMcp } from './shared/grants.ts'
import { operation } from './shared/operation.ts'
import { empty, inputText, password, timestamp, uuid } from './shared/primitives.ts'
import { sample } from './shared/samples.ts'
import { displayName } from './shared/values.ts'

const token = z
  .object({
    access_token: z.string().describe('Send it as "authorization: Bearer ..."'),
    token_type: z.literal('bearer').describe('Always bearer'),
    expires_at: timestamp.describe('When the token stops working'),
  })
  .meta({ id: 'Token', description: 'A bearer token' })

const user = z
  .object({
    id: z.int().describe('Number of the account'),
    email: z.string().describe('E-mail address in lower case'),
    token,
  })
  .meta({ id: 'User', description: 'An account with its token' })

const warning = z.string().describe('A risk of its grant that you may not intend').optional()

const session = z
  .object({
    session_id: uuid.describe('Id of the session'),
    name: z.string().describe('Name of the session; empty at first'),
    created_at: timestamp.describe('When the session was created'),
    token,
    grant: grant.optional(),
    over_mcp: overMcp.optional(),
    warning,
  })
  .meta({ id: 'Session', description: 'A new session with the token for all operations in it' })

const sessionEntry = z
  .object({
    session_id: uuid.describe('Id of the session'),
    name: z.string().describe('Name of the session; may be empty'),
    created_at: timestamp.describe('When the session was created'),
    token: token.optional(),
    grant: grant.optional(),
    over_mcp: overMcp.optional(),
    warning,
    expires_at: timestamp
      .describe('When the newest of its tokens stops working; absent in sessions of version 0.1 without a use since')
      .optional(),
    last_used_at: timestamp.describe('When a request last came with its token; absent where none did').optional(),
    last_used_protocol: z.string().describe('Protocol of that request, such as rest or mcp').optional(),
    last_used_address: z.string().describe('Address that it came from; of IPv6 the network').optional(),
    used_today_usd: z.number().describe('What it traded in the last 24 hours, in USD, as its daily cap counts it'),
    trades: z.int().describe('Trades of the last 24 hours'),
  })
  .meta({ id: 'SessionEntry', description: 'A session; its token is present only in responses to a user token' })

const caller = z
  .object({
    kind: z.enum(['user', 'session']).meta({ message: 'TokenKind' }).describe('Kind of the token'),
    expires_at: timestamp.describe('When the token stops working'),
    account: z
      .object({
        email: z.string().describe('E-mail address in lower case'),
        created_at: timestamp.describe('When the account was created'),
      })
      .meta({ id: 'CallerAccount', description: 'The account of a token' }),
    session: z
      .object({
        session_id: uuid.describe('Id of the session'),
        name: z.string().describe('Name of the session; may be empty'),
        grant: grant.optional(),
        over_mcp: overMcp.optional(),
      })
      .meta({ id: 'CallerSession', description: 'The session of a token' })
      .nullable(),
  })
  .meta({ id: 'Caller', description: 'What a token stands for; session is null for a user token' })

const sessionName = displayName.max(100).describe('Name of the session, up to 100 characters on one line')
const sessionId = uuid.describe('Id of the session')

const newPassword = password
  .min(8)
  .max(128)
  .describe(
    '8 to 128 characters of any kind, not spaces alone, and not one of the 10,000 passwords that are guessed first',
  )

const sampleToken = {
  access_token: 'eyJhbGciOiJIUzI1NiJ9.eyJraW5kIjoidXNlciJ9.c2lnbmF0dXJl',
  token_type: 'bearer',
  expires_at: '2026-03-15T09:26:53.589Z',
} as const

const sampleGrant = { scopes: ['read', 'trade'] as ('read' | 'trade')[], max_trade_usd: 500 }

const sampleEntry = {
  session_id: sample.session,
  name: 'Morning research',
  created_at: sample.at,
  token: sampleToken,
  expires_at: sampleToken.expires_at,
  last_used_at: sample.at,
  last_used_protocol: 'rest',
  last_used_address: '203.0.113.5',
  used_today_usd: 1248.18,
  trades: 1,
}

export const auth = {
  register: operation({
    kind: 'unary',
    summary: 'Create an account',
    description: 'The account comes with a wallet named default. The token only manages sessions.',
    auth: 'none',
    rate: 'register',
    http: { method: 'POST', path: '/api/v1/auth/register' },
    input: z.strictObject({
      email: z.email().max(254).describe('E-mail address; upper and lower case make no difference'),
      password: newPassword,
    }),
    output: user,
    errors: ['ALREADY_EXISTS'],
    secret: true,
    example: {
      input: { email: 'ada@example.com', password: 'correct horse battery' },
      output: { id: 1, email: 'ada@example.com', token: sampleToken },
    },
  }),

  login: operation({
    kind: 'unary',
    summary: 'Log in with e-mail and password',
    description: 'Returns a user token. The other fields of an OAuth 2 password form are accepted and ignored.',
    auth: 'none',
    rate: 'login',
    http: { method: 'POST', path: '/api/v1/auth/login', body: 'form' },
    input: z.strictObject({
      username: inputText.min(1).max(254).describe('E-mail address of the account'),
      password: password.min(1).max(128).describe('Password of the account'),
      grant_type: inputText.max(64).describe('Ignored').optional(),
      scope: inputText.max(1_000).describe('Ignored: the grant of auth.createSession limits a session').optional(),
      client_id: inputText.max(256).describe('Ignored').optional(),
      client_secret: password.max(256).describe('Ignored').optional(),
    }),
    output: token,
    errors: [],
    secret: true,
    example: { input: { username: 'ada@example.com', password: 'correct horse battery' }, output: sampleToken },
  }),

  createSession: operation({
    kind: 'unary',
    summary: 'Start a session',
    description:
      'The response has the session token, which chat, research, trading, tools and metrics require. With a grant the ' +
      'session may do less: give one to an agent.',
    auth: 'user',
    rate: 'default',
    http: { method: 'POST', path: '/api/v1/auth/session' },
    input: z.strictObject({ grant: grantInput.optional(), name: sessionName.optional() }),
    output: session,
    errors: ['FAILED_PRECONDITION'],
    secret: true,
    example: {
      input: { grant: sampleGrant },
      output: { session_id: sample.session, name: '', created_at: sample.at, token: sampleToken, grant: sampleGrant },
    },
  }),

  whoAmI: operation({
    kind: 'unary',
    summary: 'Read what your token stands for',
    description: 'Its account, its session and when it expires. The response has no token.',
    auth: 'any',
    scope: 'none',
    rate: 'default',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/auth/whoami' },
    input: z.strictObject({}),
    output: caller,
    errors: [],
    example: {
      input: {},
      output: {
        kind: 'session',
        expires_at: sample.later,
        account: { email: 'ada@example.com', created_at: sample.at },
        session: { session_id: sample.session, name: 'Morning research' },
      },
    },
  }),

  listSessions: operation({
    kind: 'unary',
    summary: 'List your sessions, newest first',
    description: 'With a user token each entry has a new session token; with a session token none has.',
    auth: 'any',
    scope: 'read',
    rate: 'restrain',
    http: { method: 'GET', path: '/api/v1/auth/sessions' },
    input: z.strictObject({}),
    output: z.array(sessionEntry),
    errors: [],
    secret: true,
    example: { input: {}, output: [sampleEntry] },
  }),

  renameSession: operation({
    kind: 'unary',
    summary: 'Rename a session',
    description: 'A user token renames any session of the account, a session token its own session only.',
    auth: 'any',
    scope: 'admin',
    rate: 'default',
    http: { method: 'PATCH', path: '/api/v1/auth/session/{session_id}/name', body: 'form' },
    input: z.strictObject({
      session_id: sessionId,
      name: sessionName.describe('The new name, up to 100 characters on one line'),
    }),
    output: sessionEntry,
    errors: ['NOT_FOUND', 'PERMISSION_DENIED'],
    secret: true,
    example: { input: { session_id: sample.session, name: 'Morning research' }, output: sampleEntry },
  }),

  changePassword: operation({
    kind: 'unary',
    summary: 'Change the password',
    description:
      'All tokens of the account end at once, with their open streams, and the response has a new user token. The ' +
      'sessions stay: auth.listSessions gives them new tokens.',
    auth: 'any',
    scope: 'admin',
    rate: 'restrain',
    http: { method: 'POST', path: '/api/v1/auth/password' },
    input: z.strictObject({
      current_password: password.min(1).max(128).describe('Password of the account'),
      new_password: newPassword,
    }),
    output: token,
    errors: ['PERMISSION_DENIED'],
    onDisconnect: 'finish',
    secret: true,
    example: {
      input: { current_password: 'correct horse battery', new_password: 'staple of another kind' },
      output: sampleToken,
    },
  }),

  deleteAccount: operation({
    kind: 'unary',
    summary: 'Delete the account',
    description:
      'All tokens, sessions and chats end at once, and the e-mail is erased. It is refused until all trades are final, ' +
      'and while a wallet whose key the gateway holds has money on a public chain, unless keys_exported is true. ' +
      'Keys are kept for 30 days, in which the operator can restore the account by its account_id; then they are erased. ' +
      'Trades and the audit log stay, without the e-mail.',
    auth: 'any',
    scope: 'admin',
    rate: 'restrain',
    http: { method: 'POST', path: '/api/v1/auth/account/delete' },
    input: z.strictObject({
      password: password.min(1).max(128).describe('Password of the account'),
      keys_exported: z
        .boolean()
        .default(false)
        .describe('True where you have exported the keys of your wallets, or give up what they hold'),
    }),
    output: z
      .strictObject({
        account_id: z.int().positive().describe('Number of the account, by which the operator can restore it'),
        restorable_until: timestamp.describe('When the keys are erased'),
      })
      .meta({ id: 'DeletedAccount', description: 'An account that was deleted' }),
    errors: ['PERMISSION_DENIED', 'FAILED_PRECONDITION', 'UNAVAILABLE'],
    onDisconnect: 'finish',
    secret: true,
    example: {
      input: { password: 'correct horse battery', keys_exported: false },
      output: { account_id: 1, restorable_until: sample.at },
    },
  }),

  logout: operation({
    kind: 'unary',
    summary: 'End the token of this request',
    description: 'Its open streams end too. A session stays: auth.listSessions gives it a new token.',
    auth: 'any',
    scope: 'none',
    rate: 'restrain',
    http: { method: 'POST', path: '/api/v1/auth/logout' },
    input: z.strictObject({}),
    output: empty,
    errors: [],
    onDisconnect: 'finish',
    example: { input: {}, output: {} },
  }),

  logoutEverywhere: operation({
    kind: 'unary',
    summary: 'End all tokens of the account',
    description:
      'Their open streams end too. The sessions stay: after a login auth.listSessions gives them new tokens.',
    auth: 'any',
    scope: 'admin',
    rate: 'restrain',
    http: { method: 'POST', path: '/api/v1/auth/logout/everywhere' },
    input: z.strictObject({}),
    output: empty,
    errors: [],
    onDisconnect: 'finish',
    example: { input: {}, output: {} },
  }),

  deleteSession: operation({
    kind: 'unary',
    summary: 'Delete a session',
    description:
      'Its token stops working immediately, its messages are deleted and its open streams end. A user token deletes any ' +
      'session of the account, a session token its own session only.',
    auth: 'any',
    scope: 'none',
    rate: 'restrain',
    http: { method: 'DELETE', path: '/api/v1/auth/session/{session_id}' },
    input: z.strictObject({ session_id: sessionId }),
    output: empty,
    errors: ['NOT_FOUND', 'PERMISSION_DENIED'],
    example: { input: { session_id: sample.session }, output: {} },
  }),
}
