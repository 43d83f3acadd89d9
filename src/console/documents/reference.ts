import { askForSession, type Session } from '../state/hand-over.ts'
import style from './reference.css?inline'

/** The part of Scalar's interface that is used here; its script sets it on the window. */
declare const Scalar: { createApiReference(place: HTMLElement, configuration: object): { destroy(): void } }

/** The list that the server sent, which stands until the reference is drawn, and the groups of its operations. */
const list = document.getElementById('operations')
const groups = new Map(
  [...document.querySelectorAll<HTMLElement>('[data-group]')].map((line) => [line.id, line.dataset.group ?? '']),
)
/** Milliseconds for another tab to hand its session over; the drawing of the reference takes most of them. */
const handMs = 10_000
const dark = matchMedia('(prefers-color-scheme: dark)')

addEventListener('hashchange', followShortAddress)
followShortAddress()
void offerSession()
const first = draw()
dark.addEventListener('change', ({ matches }) => {
  document.body.classList.toggle('dark-mode', matches)
  document.body.classList.toggle('light-mode', !matches)
})
// Scalar calls the responses of all operations alike, which readers of landmarks cannot tell apart.
new MutationObserver(nameResponses).observe(document.body, { childList: true, subtree: true })

/** Draws the reference, at the operation of the address. Requests that are tried from it are sent with the token. */
function draw(token?: string): { destroy(): void } {
  const place = document.getElementById('reference')
  if (place === null) throw new Error('The page has no place for the reference.')
  const authentication = {
    preferredSecurityScheme: 'sessionToken',
    ...(token === undefined ? {} : { securitySchemes: { sessionToken: { token } } }),
  }
  return Scalar.createApiReference(place, {
    url: place.dataset.document,
    servers: [{ url: location.origin, description: 'This gateway' }],
    authentication,
    persistAuth: false,
    theme: 'none',
    customCss: style,
    withDefaultFonts: false,
    forceDarkModeState: dark.matches ? 'dark' : 'light',
    hideDarkModeToggle: true,
    hideClientButton: true,
    // The search of all documents stands above.
    hideSearch: true,
    showDeveloperTools: 'never',
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    generateOperationSlug: ({ operationId }: { operationId?: string }) => operationId ?? '',
    onLoaded: () => list?.remove(),
  })
}

/** Offers the token of the console's session. It is handed to the reference, which forgets it with the page. */
async function offerSession(): Promise<void> {
  const bar = document.getElementById('token')
  if (bar === null) return // what this reference shows needs no token
  const session = await askForSession(handMs)
  if (session === null) return
  const button = document.createElement('button')
  button.textContent = `Use the session of ${session.email}`
  button.addEventListener('click', () => use(session, bar))
  bar.replaceChildren(button)
}

function use({ token, email }: Session, bar: HTMLElement): void {
  // A change of its configuration would show its first operation, and not that of the reader.
  const { hash } = location
  first.destroy()
  history.replaceState(null, '', hash === '' ? location.pathname : hash)
  draw(token)
  bar.textContent = `Requests are sent in the session of ${email}.`
}

function nameResponses(): void {
  for (const card of document.querySelectorAll('.response-card[aria-label="Example Responses"]')) {
    const operation = card.closest('[id*="/tag/"]')?.id.split('/').at(-1)
    card.setAttribute('aria-label', `Responses of ${operation}`)
  }
}

/** Turns `#trading.quote`, the short address of an operation, and `#Problem`, that of a schema, into those of the reference. */
function followShortAddress(): void {
  const name = location.hash.slice(1)
  const group = groups.get(name)
  if (group !== undefined) location.replace(`#tag/${group}/${name}`)
  else if (/^[A-Z]\w*$/.test(name)) location.replace(`#models/${name}`)
}
