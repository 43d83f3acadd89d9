/** The session of a tab. */
export type Session = { id: string; token: string; email: string }

/** What tabs say to each other about sessions. */
export type Message = { kind: 'ask' } | { kind: 'hand'; session: Session } | { kind: 'ended'; id: string }

/** The name of the tabs' channel, and of the session in `sessionStorage`. */
export const sessionKey = 'trident-session'

/**
 * The session of this tab, or the one that another tab of this browser hands over within as many milliseconds; null where
 * there is none. It stores nothing.
 */
export async function askForSession(handMs: number): Promise<Session | null> {
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
