import { setTimeout as delay } from 'node:timers/promises'

const PAUSE_MS = 50

/** Looks until there is something to see, for what cannot be watched. */
export async function eventually<T>(look: () => Promise<T | undefined>, patienceMs = 20_000): Promise<T> {
  const giveUpAt = Date.now() + patienceMs
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (Date.now() > giveUpAt) throw new Error('it did not come true in time')
    await delay(PAUSE_MS)
  }
}
