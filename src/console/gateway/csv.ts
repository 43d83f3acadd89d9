import { authorization } from './client.ts'
import { Refusal } from './failures.ts'

/** Pages of one table, so that no answer of the gateway makes this endless. */
const mostPages = 1_000

/** Saves a table of the gateway as a CSV file: all its pages under one line of names. */
export async function saveCsv(path: string, fileName: string): Promise<void> {
  const parts: string[] = []
  let cursor: string | null = null
  for (let page = 0; page < mostPages; page += 1) {
    const url = new URL(path, location.origin)
    if (cursor !== null) url.searchParams.set('cursor', cursor)
    const response = await fetch(url, { headers: { accept: 'text/csv', ...authorization() } })
    if (!response.ok) throw new Refusal(((await response.json()) as { detail: string }).detail)
    const text = await response.text()
    parts.push(page === 0 ? text : text.slice(text.indexOf('\n') + 1))
    cursor = response.headers.get('x-next-cursor')
    if (cursor === null) break
  }
  const address = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}
