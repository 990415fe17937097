import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { methodNotAllowed } from '@orrery/kube'
import type { Exchange } from '../http/exchange.js'
import type { Store } from '../store/types.js'
import type { WatchSink } from '../watch/types.js'
import type { Endpoint } from './pipeline.js'
import { sendObject } from './reply.js'

export const BACKUP_PATH = '/orrery/backup'
export const COMPACT_PATH = '/orrery/compact'

/** What an administrator asks of a running server: a backup as a download, and dropping history. */
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
    const sink = exchange.stream(200, { 'Content-Type': 'application/octet-stream' })
    let gone = false
    sink.onClose(() => {
      gone = true
    })
    for await (const chunk of createReadStream(file)) {
      if (gone) return
      if (!sink.write(chunk as Buffer)) await drainedOrGone(sink)
    }
    sink.end()
  } finally {
    await rm(file, { force: true })
  }
}

function drainedOrGone(sink: WatchSink): Promise<void> {
  return new Promise((resolve) => {
    sink.onDrain(resolve)
    sink.onClose(resolve)
  })
}
