import assert from 'node:assert/strict'
import { get } from 'node:https'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { systemClock } from '@orrery/kube/clock'
import { builtinLogics } from '../registry/builtin.js'
import type { KindLogic } from '../registry/kind-logic.js'
import { negotiate } from '../request/accept.js'
import { Query } from '../request/query.js'
import type { ApiServer } from '../server/api-server.js'
import { StoredEntry } from '../store/entry.js'
import type { Entry } from '../store/types.js'
import { testServer } from '../testing/test-server.fixture.js'
import { ObjectForm } from './forms.js'

function livez(server: ApiServer): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(`${server.url}/livez`, { ca: server.certificateAuthority, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    request.on('error', reject)
  })
}

/** Keeps the thread busy for a millisecond. */
function work(): void {
  for (const end = performance.now() + 1; performance.now() < end; );
}

function configMaps(): KindLogic {
  const logic = builtinLogics(systemClock).find(({ resource }) => resource.kind === 'ConfigMap')
  assert.ok(logic !== undefined)
  return logic
}

/** A list that takes longer to encode than a health request. */
const entries = Array.from({ length: 20_000 }, (_, index): Entry => {
  const metadata = { name: `map-${index}`, namespace: 'default' }
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
  const bytes = Buffer.from(JSON.stringify(object))
  return new StoredEntry('', 'default', metadata.name, 1, bytes)
})

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const METADATA = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
const FORMS: readonly [string, string, boolean][] = [
  ['a Table', TABLE, false],
  ['PartialObjectMetadata', METADATA, false],
  ['YAML', 'application/yaml', false],
  ['protobuf', 'application/vnd.kubernetes.protobuf', false],
  ['JSON of another version', 'application/json', false],
  ['indented JSON', 'application/json', true],
]

for (const [name, accept, pretty] of FORMS) {
  test(`ObjectForm: lets health requests through while a long list is encoded as ${name}`, async (t) => {
    const { server } = await testServer(t, { host: '127.0.0.1' })
    let health: Promise<number> | undefined
    let written = 0
    let writtenBefore: number | undefined
    const logic: KindLogic = {
      ...configMaps(),
      servedBytes: () => undefined,
      fromStorage(object) {
        written++
        health ??= livez(server).finally(() => {
          writtenBefore = written
        })
        if (writtenBefore === undefined) work()
        return object
      },
    }
    const form = new ObjectForm(logic, negotiate(accept), Query.parse(''), pretty, () => new Date(0))
    const { chunks } = await form.list({ entries, revision: 1, continue: '', remaining: undefined }, 'one', {
      onClose: () => undefined,
    })
    assert.equal(await health, 200)
    assert.ok(Buffer.concat(chunks).includes('map-19999'))
    assert.ok((writtenBefore ?? 0) < entries.length, 'health was answered only after the list was complete')
  })
}
