import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainNode, HeadChange } from '../../domain/ports/node.ts'

const pauseMs = 1_000

/**
 * Calls back with every change of the chain, through failures of its node, until the returned function is called. Null
 * stands for changes that were missed: the chain has to be read anew.
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
      // Subscribed first, so that nothing falls between the reading anew and the next change.
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
