import { addSearch } from './search.ts'

// The first page was the reference once: addresses of operations and schemas in it lead to where they are now.
if (location.pathname === '/docs' && location.hash !== '') location.replace(`/docs/api${location.hash}`)

// What scrolls by itself is reached by the keyboard too.
for (const box of document.querySelectorAll<HTMLElement>('main table, main pre')) box.tabIndex = 0

const place = document.querySelector<HTMLElement>('nav.documents')
if (place !== null) addSearch(place)
