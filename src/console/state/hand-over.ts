/** The session of a tab. */
export type Session = { id: string; token: string; email: string }

/** What tabs say to each other about sessions. */
export type Message = { kind: 'ask' } | { kind: 'hand'; session: Session } | { kind: 'ended'; id: string }

/** The name of the tabs' channel, and of the session in `sessionStorage`. */
export const sessionKey = 'trident-session'
/** Milliseconds for other tabs to hand their session over. */
const handMs = 150

/** The session of this tab, or that of another tab of this browser; null where there is none. It stores nothing. */
export async function askForSession(): Promise<Session | null> {
  const stored = sessionStorage.getItem(sessionKey)
  if (stored !== null) return JSON.parse(stored) as Session
  const others = new BroadcastChannel(sessionKey)
  const { promise, resolve } = Promise.withResolvers<Session | null>()
  others.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'hand') resolve(data.session)
  })
  others.postMessage({ kind: 'ask' } satisfies Message)
  setTimeout(() => resolve(null), handMs)
  const found = await promise
  others.close()
  return found
}
