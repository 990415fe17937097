import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { methodNotAllowed } from '@orrery/kinds/values'
import type { Exchange } from '../http/exchange.js'
import type { Store } from '../store/types.js'
import type { WatchSink } from '../watch/types.js'
import type { Endpoint } from './pipeline.js'
import { sendObject } from './reply.js'

export const BACKUP_PATH = '/orrery/backup'
export const COMPACT_PATH = '/orrery/compact'

/** Endpoints for administrators of a running server: download a backup, compact history. */
export function maintenanceEndpoint(store: Store, directory: string): Endpoint {
  return {
    matches: ({ path }) => path === BACKUP_PATH || path === COMPACT_PATH,
    async serve(exchange, { path }) {
      const expected = path === BACKUP_PATH ? 'GET' : 'POST'
      if (exchange.method !== expected) throw methodNotAllowed({ group: '', resource: path.slice(1) }, exchange.method)
      if (path === BACKUP_PATH) return sendBackup(exchange, store, directory)
      await store.compact(store.revision)
      await sendObject(exchange, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' })
    },
  }
}

async function sendBackup(exchange: Exchange, store: Store, directory: string): Promise<void> {
  const file = join(directory, `backup-${randomUUID()}`)
  try {
    await store.backup(file)
    await pipeline(
      createReadStream(file),
      writableOf(exchange.stream(200, { 'Content-Type': 'application/octet-stream' })),
    )
  } finally {
    await rm(file, { force: true })
  }
}

/** Returns a sink as a Writable with backpressure. */
function writableOf(sink: WatchSink): Writable {
  let resume: (() => void) | undefined
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (sink.write(chunk)) done()
      else resume = () => done()
    },
    final(done) {
      sink.end()
      done()
    },
  })
  sink.onDrain(() => {
    const go = resume
    resume = undefined
    go?.()
  })
  sink.onClose(() => stream.destroy())
  return stream
}
