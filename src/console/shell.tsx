import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Action, Copy, useWork } from './parts/forms.tsx'
import { FailureNote, type Loaded, Shown, useLoaded } from './parts/loaded.tsx'
import { connection, followAccount, forgetTrades } from './state/account.ts'
import { forgetConversation } from './state/chat.ts'
import { readChains, readInfo } from './state/facts.ts'
import { forgetOwner } from './state/owner.ts'
import { type Place, places, route, titles } from './state/routes.ts'
import { logOut, made, session } from './state/session.ts'
import { followWaiting, forgetWaiting, waiting } from './state/waiting.ts'
import { forgetWallets, readWallets } from './state/wallets.ts'
import { Agents } from './views/agents/agents.tsx'
import { Chat } from './views/chat/chat.tsx'
import { Portfolio } from './views/portfolio/portfolio.tsx'
import { Start } from './views/start.tsx'
import { forgetDraft } from './views/trade/order.ts'
import { forgetReviewed } from './views/trade/reviewed.ts'
import { Trade } from './views/trade/trade.tsx'
import { Trades } from './views/trades/trades.tsx'

/** The whole page under the header: the login, or the pages of the account that is logged in. */
export function Console() {
  const facts = useLoaded(readInfo, [])
  return (
    <Shown of={facts} what="what this gateway is">
      {(info) => (
        <>
          {session.value === null ? <Start sandbox={info.sandbox} /> : <Pages key={session.value.id} />}
          <footer class={session.value === null ? 'page narrow quiet' : 'page quiet'}>
            Trident {info.version}
            {info.sandbox && ', a sandbox: its money has no value'}. <a href="/licences">Licences</a>
          </footer>
        </>
      )}
    </Shown>
  )
}

const views: Record<Place, () => preact.JSX.Element> = {
  chat: Chat,
  trade: Trade,
  portfolio: Portfolio,
  trades: Trades,
  waiting: Agents,
}

function Pages() {
  const loaded = useAccount()
  const { place, rest } = route.value
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    document.title = `${titles[place]} - Trident`
    main.current?.focus()
  }, [place, rest])
  const View = views[place]
  return (
    <>
      <Navigation place={place} />
      <main class="page" ref={main} tabIndex={-1}>
        <MadeAccount />
        <h1>{titles[place]}</h1>
        <Shown of={loaded} what="chains and wallets">
          {() => <View />}
        </Shown>
      </main>
    </>
  )
}

/** What every page needs of the account. */
function useAccount(): Loaded<unknown> {
  const leaving = useMemo(() => new AbortController(), [])
  useEffect(() => () => leaving.abort(), [leaving])
  useEffect(followAccount, [])
  useEffect(followWaiting, [])
  useEffect(() => forgetAccount, [])
  return useLoaded(() => Promise.all([readChains(), readWallets(leaving.signal)]), [])
}

/** Nothing of an account is left for the next one. */
function forgetAccount(): void {
  for (const forget of [
    forgetConversation,
    forgetTrades,
    forgetWallets,
    forgetDraft,
    forgetReviewed,
    forgetOwner,
    forgetWaiting,
  ])
    forget()
}

function Navigation({ place }: { place: Place }) {
  const leave = useWork(logOut)
  return (
    <>
      <nav class="bar" aria-label="Console">
        <span class="places">
          {(Object.keys(places) as (keyof typeof places)[]).map((name) => (
            <a key={name} href={`#/${name}`} aria-current={name === place ? 'page' : undefined}>
              {places[name]}
            </a>
          ))}
        </span>
        <span class="account">
          <a
            href="#/waiting"
            class={waiting.value.length > 0 ? 'badge' : ''}
            aria-current={place === 'waiting' ? 'page' : undefined}
          >
            {waiting.value.length > 0 ? `${waiting.value.length} waiting for you` : 'Agents'}
          </a>
          <span class="email">{session.value?.email}</span>
          <Action class="small" running={leave.running} doing="Logging out" onClick={leave.run}>
            Log out
          </Action>
        </span>
      </nav>
      {connection.value === 'cut' && (
        <div class="page">
          <p class="note bad" role="status">
            The connection to the gateway is cut. It is tried again; what you see may be old.
          </p>
        </div>
      )}
      {leave.failure !== null && <FailureNote failure={leave.failure} />}
    </>
  )
}

/** The account that the console made up, until the reader has it. */
function MadeAccount() {
  const account = made.value
  if (account === null) return null
  const { email, password } = account
  return (
    <section class="note" aria-label="Your account">
      <p>
        <b>Your account of the sandbox.</b> Keep both to log in again; they are shown once.
      </p>
      <dl class="facts">
        <dt>E-mail</dt>
        <dd>
          <code>{email}</code> <Copy text={email} />
        </dd>
        <dt>Password</dt>
        <dd>
          <code>{password}</code> <Copy text={password} />
        </dd>
      </dl>
      <button
        type="button"
        onClick={() => {
          made.value = null
        }}
      >
        I have them
      </button>
    </section>
  )
}
