import { useEffect, useRef, useState } from 'preact/hooks'

/** A value that follows another one, at once after a calm time and at most once in `everyMs`. */
export function usePaced<Value>(value: Value, everyMs: number): Value {
  const [shown, setShown] = useState(value)
  const last = useRef(0)
  useEffect(() => {
    const wait = Math.max(0, last.current + everyMs - Date.now())
    const timer = setTimeout(() => {
      last.current = Date.now()
      setShown(value)
    }, wait)
    return () => clearTimeout(timer)
  }, [value, everyMs])
  return shown
}

/** Counts how often a time has passed while the page was shown. */
export function useTicks(everyMs: number): number {
  const [ticks, setTicks] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setTicks((count) => count + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return ticks
}
