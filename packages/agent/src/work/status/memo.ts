/**
 * Caches what is made from a text, such as a compiled expression. Users write the texts: when there are too many, the
 * whole cache is dropped. `beforeMaking` may throw to prevent the work.
 */
export function memo<T>(
  limit: number,
  make: (text: string) => T,
): (text: string, beforeMaking?: (text: string) => void) => T {
  const made = new Map<string, T>()
  return (text, beforeMaking) => {
    const known = made.get(text)
    if (known !== undefined) return known
    beforeMaking?.(text)
    const value = make(text)
    if (made.size >= limit) made.clear()
    made.set(text, value)
    return value
  }
}
