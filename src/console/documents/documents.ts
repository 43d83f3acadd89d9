import { addSearch } from './search.ts'

// The first page was the reference once: addresses of operations and schemas in it lead to where they are now.
if (location.pathname === '/docs' && location.hash !== '') location.replace(`/docs/api${location.hash}`)

// What scrolls by itself is reached by the keyboard too.
for (const box of document.querySelectorAll<HTMLElement>('main table, main pre')) box.tabIndex = 0

const place = document.querySelector<HTMLElement>('nav.documents')
if (place !== null) addSearch(place)

for (const block of document.querySelectorAll('article pre')) {
  const button = document.createElement('button')
  Object.assign(button, { type: 'button', className: 'copy', textContent: 'copy' })
  button.addEventListener('click', () => void copy(button, block.textContent))
  const box = document.createElement('div')
  box.className = 'block'
  block.replaceWith(box)
  box.append(button, block)
}

async function copy(button: HTMLElement, text: string): Promise<void> {
  // The clipboard is missing on plain http except on this machine.
  const copied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  button.textContent = copied === true ? 'copied' : 'select and copy it'
  setTimeout(() => {
    button.textContent = 'copy'
  }, 1_500)
}
