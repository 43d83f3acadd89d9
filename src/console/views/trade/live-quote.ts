import { useEffect, useState } from 'preact/hooks'
import type { LiveQuote } from '../../../../generated/client/index.d.ts'
import { gateway, streamed } from '../../gateway/client.ts'
import { type Failure, failureOf, passes } from '../../gateway/failures.ts'
import { pause, readAgain, whileShown } from '../../gateway/streams.ts'
import type { Order } from './order.ts'

/** Milliseconds after the last change of the form, so that typing asks for no price of each digit. */
export const calmMs = 350

/** The price of an order as of the newest block; `cut` while no new one arrives. */
export type LivePrice = { quote: LiveQuote | null; failure: Failure | null; cut: boolean }

const nothing: LivePrice = { quote: null, failure: null, cut: false }

/** Follows the price of an order at each block while the page is shown. Another order needs a new component. */
export function useLiveQuote(order: Order): LivePrice {
  const [price, setPrice] = useState<LivePrice>(nothing)
  useEffect(() => whileShown((shown) => void follow(order, shown, setPrice)), [])
  return price
}

async function follow(order: Order, shown: AbortSignal, set: (next: (price: LivePrice) => LivePrice) => void) {
  await pause(calmMs, shown)
  await readAgain(
    (signal) => gateway.trading.watchQuote.mutate(order, streamed(signal)),
    shown,
    (quote) => set(() => ({ quote, failure: null, cut: false })),
    (error) => {
      const failure = failureOf(error)
      const goesOn = passes(failure)
      set((before) =>
        goesOn ? { ...before, failure: before.quote === null ? failure : null, cut: true } : { ...nothing, failure },
      )
      return goesOn ? 'again' : 'final'
    },
  )
}
