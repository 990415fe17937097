/**
 * Remembers what was made from a text, such as a compiled expression. The texts come from users: when there are too many
 * it forgets them all, which costs those that are still used one more making. `beforeMaking` may throw to prevent it.
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
