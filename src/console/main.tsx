import { render } from 'preact'
import { Console } from './shell.tsx'
import { findSession } from './state/session.ts'

const place = document.getElementById('console')
if (place === null) throw new Error('index.html has no element for the console.')
await findSession()
render(<Console />, place)
