import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { request } from 'node:https'
import type { ServerProcess } from '../support/server.js'
import { TIMEOUT_MS } from './settings.js'

/** What a server must not have more of after an attack than before. */
export interface ServerState {
  readonly descriptors: number
  readonly watchers: number
  readonly heapBytes: number
  readonly residentBytes: number
  readonly revision: number
}

export async function stateOf(server: ServerProcess): Promise<ServerState> {
  const metrics = await text(server, '/metrics')
  const gauge = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1])
  return {
    descriptors: (await readdir(`/proc/${server.process.pid}/fd`)).length,
    watchers: gauge('apiserver_registered_watchers'),
    heapBytes: gauge('nodejs_heap_size_used_bytes'),
    residentBytes: gauge('process_resident_memory_bytes'),
    revision: gauge('orrery_store_revision'),
  }
}

const MAX_GROWTH_BYTES = 150 * 1024 * 1024

/** Waits until the server has released the resources of the attack, and fails if it does not. */
export async function recovered(server: ServerProcess, before: ServerState): Promise<void> {
  assert.equal(server.process.exitCode, null, `the server ended:\n${server.log()}`)
  const deadline = Date.now() + 3 * TIMEOUT_MS
  for (;;) {
    const now = await stateOf(server)
    const isClean = now.descriptors <= before.descriptors + 2 && now.watchers <= before.watchers
    if (isClean && now.heapBytes < before.heapBytes + MAX_GROWTH_BYTES) return
    assert.ok(Date.now() < deadline, `the server did not recover: ${JSON.stringify({ before, now })}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The body of a GET as the administrator. */
export function text(server: ServerProcess, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(`${server.url}${path}`, { ...server.credentials, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      response.on('end', () => resolve(body))
    })
    asked.setTimeout(TIMEOUT_MS, () => asked.destroy(new Error(`no answer in time: ${path}`)))
    asked.on('error', reject)
    asked.end()
  })
}
