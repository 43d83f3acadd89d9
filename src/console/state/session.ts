import { signal } from '@preact/signals'
import { gateway, onSessionRefused, sendToken, withToken } from '../gateway/client.ts'
import { askForSession, type Message, type Session, sessionKey } from './hand-over.ts'

/** An account that the console made up, to be shown once. */
export type Made = { email: string; password: string }

/** The name of the console's sessions, by which a login finds the one of before. */
const name = 'Browser console'

/** Milliseconds for other tabs to hand their session over, while this one shows nothing. */
const handMs = 150

/** The session of this tab; null without a login. */
export const session = signal<Session | null>(null)

/** Why the last session ended, where the reader did not end it. */
export const ended = signal<string | null>(null)

/** The account that was just made up. */
export const made = signal<Made | null>(null)

// sessionStorage and not a cookie: a cookie of 127.0.0.1 is sent to every port of the machine.
const others = new BroadcastChannel(sessionKey)
others.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data.kind === 'ask' && session.value !== null) tell({ kind: 'hand', session: session.value })
  if (data.kind === 'ended' && data.id === session.value?.id) leave('You have logged out in another tab.')
})

/** Takes the session that this tab had before its reload, or that another tab has. */
export async function findSession(): Promise<void> {
  const found = await askForSession(handMs)
  if (found !== null) enter(found)
}

/** Makes an account and logs in. */
export async function register(email: string, password: string): Promise<void> {
  const user = await gateway.auth.register.mutate({ email, password })
  await openSession(user.email, user.token.access_token)
}

/** Logs in, with the console's session of before where there is one. */
export async function logIn(email: string, password: string): Promise<void> {
  const user = await gateway.auth.login.mutate({ username: email, password })
  await openSession(email.trim().toLowerCase(), user.access_token)
}

/** Makes up an account, logs in, and keeps e-mail and password to be shown once. */
export async function trySandbox(): Promise<void> {
  const email = `visitor-${randomText(8)}@example.com`
  const password = randomText(20)
  await register(email, password)
  made.value = { email, password }
}

/** Ends the session for good, with its conversation, in every tab. */
export async function logOut(): Promise<void> {
  const mine = session.value
  if (mine === null) return
  leaving = true
  try {
    // First, since the end of the session ends the streams of the other tabs too, which would then ask why.
    tell({ kind: 'ended', id: mine.id })
    await gateway.auth.deleteSession.mutate({ session_id: mine.id })
    leave(null)
  } catch {
    leave(
      'You are logged out here, but the gateway did not answer: the session lives on until you log in and out again.',
    )
  } finally {
    leaving = false
  }
}

onSessionRefused(() => {
  if (session.value !== null && !leaving) leave('Your session has ended. Log in again.')
})

/** True while this tab ends its session itself. */
let leaving = false

/** The user token is needed for a moment only, so it is kept nowhere. */
async function openSession(email: string, userToken: string): Promise<void> {
  const known = await gateway.auth.listSessions.query({}, withToken(userToken))
  const found = known.find((entry) => entry.name === name && entry.grant === undefined)
  const entry = found ?? (await gateway.auth.createSession.mutate({}, withToken(userToken)))
  if (entry.token === undefined) throw new Error('The gateway lists a session without its token.')
  if (found === undefined)
    await gateway.auth.renameSession.mutate({ session_id: entry.session_id, name }, withToken(userToken))
  enter({ id: entry.session_id, token: entry.token.access_token, email })
}

function enter(found: Session): void {
  sessionStorage.setItem(sessionKey, JSON.stringify(found))
  sendToken(found.token)
  ended.value = null
  session.value = found
}

function leave(reason: string | null): void {
  sessionStorage.removeItem(sessionKey)
  sendToken(null)
  made.value = null
  ended.value = reason
  session.value = null
}

function tell(message: Message): void {
  others.postMessage(message)
}

/** Random letters and digits that are not mistaken for each other; 5 bits each. */
function randomText(length: number): string {
  const signs = 'abcdefghjkmnpqrstuvwxyz234567890'
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => signs[byte % 32]).join('')
}
