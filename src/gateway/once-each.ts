/**
 * Memoises a function by its argument, as long as that object is reachable. An event for many readers is one object, so it
 * is checked and encoded once for all of them. For other values the function runs each time.
 */
export function onceEach<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  const made = new WeakMap<object, { value: Made }>()
  return (given) => {
    if (typeof given !== 'object' || given === null) return make(given)
    const stored = made.get(given) ?? { value: make(given) }
    made.set(given, stored)
    return stored.value
  }
}
