/** The tokens that each kind of operation refuses, by the kind that accepts them. */
export const strangers = {
  none: [],
  any: ['none'],
  user: ['none', 'session'],
  session: ['none', 'user'],
  operator: ['none', 'user', 'session'],
} as const
export const tokenNames = { none: 'no token', user: 'a token of a user', session: 'a token of a session' }
