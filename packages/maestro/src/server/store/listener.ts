import type { Logger } from '@orrery/kube/log'
import pg from 'pg'

const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 2_000
/** A connection that died without a word is found by a query on it. */
const PROBE_MS = 5_000

interface Listening {
  readonly connect: () => pg.Client
  readonly channel: string
  readonly onNotify: (payload: string) => void
  readonly onConnected: () => void
  readonly log: Logger
}

/** Listens on a connection of its own, and on a new one after each failure, until closed. */
export function listen(options: Listening): { close(): Promise<void> } {
  const stopped = new AbortController()
  const running = run(options, stopped.signal)
  return {
    async close() {
      stopped.abort()
      await running
    },
  }
}

async function run(options: Listening, stopped: AbortSignal): Promise<void> {
  let delay = FIRST_RETRY_MS
  while (!stopped.aborted) {
    try {
      await listenOnce(options, stopped, () => {
        delay = FIRST_RETRY_MS
      })
    } catch (error) {
      options.log.warn('lost the connection for notifications', { error: (error as Error).message })
    }
    await pause(delay, stopped)
    delay = Math.min(delay * 2, LAST_RETRY_MS)
  }
}

/** Resolves when stopped, and rejects when the connection fails. */
async function listenOnce(options: Listening, stopped: AbortSignal, onConnected: () => void): Promise<void> {
  const client = options.connect()
  const failed = new Promise<never>((_, reject) => {
    client.on('error', reject)
    client.on('end', () => reject(new Error('the connection was closed')))
  })
  // Also observed when nothing waits for it any more.
  failed.catch(() => undefined)
  client.on('notification', ({ payload }) => options.onNotify(payload ?? ''))
  try {
    await Promise.race([client.connect(), failed])
    await Promise.race([client.query(`listen ${pg.escapeIdentifier(options.channel)}`), failed])
    onConnected()
    options.onConnected()
    while (!stopped.aborted) {
      await Promise.race([pause(PROBE_MS, stopped), failed])
      if (!stopped.aborted) await Promise.race([client.query('select 1'), failed])
    }
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Resolves after a time, or when stopped. */
function pause(milliseconds: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopped.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      stopped.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    stopped.addEventListener('abort', done)
  })
}
