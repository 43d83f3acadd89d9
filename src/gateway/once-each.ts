/**
 * Remembers what was made of each object for as long as the object is there: what goes to many readers is one object, and
 * is checked and encoded once for all of them. Of what is no object it is made each time.
 */
export function onceEach<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  const made = new WeakMap<object, { value: Made }>()
  return (given) => {
    if (typeof given !== 'object' || given === null) return make(given)
    const kept = made.get(given) ?? { value: make(given) }
    made.set(given, kept)
    return kept.value
  }
}
