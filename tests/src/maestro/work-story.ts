import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { installSpoke, type OpenSource, startWorkAlone } from '@orrery/agent'
import { startApiServer } from '@orrery/apiserver'
import { eventually } from '@orrery/kube/testing'
import {
  type Bundle,
  type Database,
  type MaestroCore,
  openDatabase,
  type SpecRequest,
  startCore,
} from '@orrery/maestro/server'
import { createEmptyDatabase } from '../support/embedded-database.js'
import { afterwards } from '../support/server.js'

const CLUSTER = 'c1'

let shared: Promise<Database> | undefined

async function openNewDatabase(): Promise<Database> {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-test-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  await createEmptyDatabase(directory)
  return openDatabase({ directory })
}

/** Empties one embedded database for each test: starting another takes seconds. */
async function emptyDatabase(): Promise<Database> {
  shared ??= openNewDatabase()
  const database = await shared
  await database.query({ text: 'truncate consumers, resources, tombstones' })
  return database
}

/** A core on an empty database, with one consumer. */
export async function startTestCore(t: TestContext) {
  const database = await emptyDatabase()
  const core = await startCore({ database })
  afterwards(t, () => core.close())
  await core.consumers.create({ name: CLUSTER })
  return { core, database }
}

/** A cluster whose agent takes works of a source. */
export async function startCluster(t: TestContext, openSource: OpenSource) {
  const server = await startApiServer({ host: false })
  afterwards(t, () => server.close())
  const client = server.client()
  await installSpoke(client)
  const agent = await startWorkAlone({ spoke: client, clusterName: CLUSTER, openSource })
  afterwards(t, () => agent.close())
  return { client, agent }
}

/** A request to create, update or delete a bundle with one ConfigMap. */
export function request(action: SpecRequest['action'], id: string, value = '', version = 0): SpecRequest {
  const manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `cm-${id}`, namespace: 'default' },
    data: { value },
  }
  const metadata = JSON.stringify({ name: id, namespace: CLUSTER })
  const data = Buffer.from(JSON.stringify({ manifests: [manifest] }))
  return { action, id, source: 'story', consumerName: CLUSTER, version, metadata, ...(action !== 'delete' && { data }) }
}

export const newId = () => randomUUID()

/** Resolves with the bundle when its agent has reported that the version is applied. */
export function whenApplied(core: MaestroCore, id: string, version: number): Promise<Bundle> {
  return eventually(`version ${version} of ${id} is applied`, async () => {
    const bundle = await core.bundles.get(id)
    const { observedVersion, conditions } = bundle?.status ?? {}
    const isApplied = /"type":"Applied","status":"True"|"status":"True"[^}]*"type":"Applied"/.test(String(conditions))
    return observedVersion === version && isApplied ? bundle : undefined
  })
}

export function whenGone(core: MaestroCore, id: string): Promise<boolean> {
  return eventually(`${id} is gone`, async () => (await core.bundles.get(id)) === undefined)
}
