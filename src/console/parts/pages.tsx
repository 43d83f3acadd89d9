import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Action, useWork, type Work } from './forms.tsx'
import { FailureNote, type Loaded, Shown, useLoaded } from './loaded.tsx'

type Page<Item> = { items: Item[]; next_cursor: string | null }

/** A list that is read page by page. */
export type Paged<Item> = {
  first: Loaded<Page<Item>>
  items: readonly Item[]
  hasMore: boolean
  more: Work<[]>
}

/**
 * Reads the first page, again whenever one of `keys` changes, and further ones on demand. It is read again when `turn`
 * changes too, but not while further pages are shown: they would be taken from under the reader's eyes.
 */
export function usePages<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  keys: readonly unknown[],
  turn: unknown,
): Paged<Item> {
  const [later, setLater] = useState<Later<Item>>(nothing)
  const held = useRef(turn)
  if (later.items.length === 0) held.current = turn
  const first = useLoaded(() => read(undefined), [...keys, held.current])
  const page = first.value
  const current = later.of === page ? later : { of: page, items: [], cursor: page?.next_cursor ?? null }
  const more = useWork(async () => {
    if (current.cursor === null) return
    const next = await read(current.cursor)
    setLater({ of: page, items: [...current.items, ...next.items], cursor: next.next_cursor })
  })
  return {
    first,
    items: [...(page?.items ?? []), ...current.items],
    hasMore: current.cursor !== null && !first.loading,
    more,
  }
}

/** The pages after the first one, and which one that was. */
type Later<Item> = { of: Page<Item> | null; items: Item[]; cursor: string | null }

const nothing = { of: null, items: [], cursor: null }

type PagesProps<Item> = {
  of: Paged<Item>
  what: string
  empty: string
  children: (items: readonly Item[]) => ComponentChildren
}

/** The pages that were read, and a button for the next one. A page may be empty while a later one is not. */
export function Pages<Item>({ of: { first, items, hasMore, more }, what, empty, children }: PagesProps<Item>) {
  return (
    <Shown of={first} what={what}>
      {() => (
        <>
          {items.length > 0 ? children(items) : <p class="quiet">{hasMore ? 'None among the newest.' : empty}</p>}
          {hasMore && (
            <Action running={more.running} doing="Reading" onClick={more.run}>
              More
            </Action>
          )}
          {more.failure !== null && <FailureNote failure={more.failure} />}
        </>
      )}
    </Shown>
  )
}
