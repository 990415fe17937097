// Load on a server, and what it measures.

/** Runs operations with so many in flight, for some seconds or a number of them. Resolves with their rate and latencies. */
export async function inFlight(
  width,
  { seconds = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY },
  operation,
) {
  const latencies = []
  let next = 0
  const start = performance.now()
  const end = start + seconds * 1_000
  const lane = async (number) => {
    while (next < count && performance.now() < end) {
      const index = next++
      const sent = performance.now()
      await operation(index, number)
      latencies.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: width }, (_, number) => lane(number)))
  const passed = (performance.now() - start) / 1_000
  return { rate: latencies.length / passed, seconds: passed, ...percentiles(latencies) }
}

/** Starts `rate` operations a second, whether the earlier ones have ended or not. Resolves when the last has started. */
export function atRate(rate, seconds, operation) {
  const count = rate * seconds
  const start = performance.now()
  let next = 0
  return new Promise((resolve) => {
    const tick = () => {
      const due = Math.min(count, Math.floor(((performance.now() - start) / 1_000) * rate) + 1)
      while (next < due) operation(next++)
      if (next < count) setTimeout(tick, Math.max(0, start + (next / rate) * 1_000 - performance.now()))
      else resolve()
    }
    tick()
  })
}

export function percentiles(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), longest: sorted.at(-1) ?? Number.NaN }
}

export const median = (values) => percentiles(values).p50
