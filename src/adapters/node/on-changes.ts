import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainNode, HeadChange } from '../../domain/ports/node.ts'

const pauseMs = 1_000

/**
 * Calls back with every change of the chain, despite failures of its node, until the returned function is called. Null
 * means that changes were missed: the chain must be read again.
 */
export function onChanges(
  { changes }: Pick<ChainNode, 'changes'>,
  listener: (change: HeadChange | null) => void,
): () => void {
  const stopping = new AbortController()
  const { signal } = stopping
  const follow = async (): Promise<void> => {
    let missed = false
    while (!signal.aborted) {
      // Subscribes first, so that nothing is missed between reading again and the next change.
      const arriving = changes(signal)
      if (missed) listener(null)
      try {
        for await (const change of arriving) listener(change)
      } catch {
        missed = true
      }
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  void follow()
  return () => stopping.abort()
}
