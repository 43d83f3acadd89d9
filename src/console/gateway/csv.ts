import { authorization } from './client.ts'
import { Refusal } from './failures.ts'

/** Pages of one table, so that no answer of the gateway makes this endless. */
const mostPages = 1_000
/** Seconds to wait where the gateway asks to wait without saying how long. */
const usualWaitSeconds = 10

/** Saves a table of the gateway as a CSV file: all its pages under one line of names. Waits where the rate of the account is used up. */
export async function saveCsv(path: string, fileName: string): Promise<void> {
  const parts: string[] = []
  let cursor: string | null = null
  do {
    if (parts.length === mostPages)
      throw new Refusal(`The table has more than ${mostPages} pages. Save it in parts over REST, by start and end.`)
    const response = await page(path, cursor)
    const text = await response.text()
    parts.push(parts.length === 0 ? text : text.slice(text.indexOf('\n') + 1))
    cursor = response.headers.get('x-next-cursor')
  } while (cursor !== null)
  const address = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}

async function page(path: string, cursor: string | null): Promise<Response> {
  const url = new URL(path, location.origin)
  if (cursor !== null) url.searchParams.set('cursor', cursor)
  for (;;) {
    const response = await fetch(url, { headers: { accept: 'text/csv', ...authorization() } })
    if (response.ok) return response
    if (response.status !== 429) throw new Refusal(((await response.json()) as { detail: string }).detail)
    const seconds = Number(response.headers.get('retry-after') ?? usualWaitSeconds)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  }
}
