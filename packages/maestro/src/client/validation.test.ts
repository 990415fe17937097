import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewManifestWork } from '@orrery/api'
import { StatusError } from '@orrery/kinds/values'
import { newWork } from './server.fixture.js'
import { checkConsumer, checkWork } from './validation.js'

const [manifest] = newWork('w').spec?.workload?.manifests ?? []
const withManifests = (...manifests: object[]) =>
  ({ ...newWork('w'), spec: { workload: { manifests } } }) as NewManifestWork
const withMetadata = (metadata: object) => ({ ...newWork('w'), metadata }) as NewManifestWork

test('checkWork: accepts a valid work, also with its consumer as namespace', () => {
  checkWork(newWork('w'), 'c')
  checkWork(withMetadata({ name: 'w', namespace: 'c', labels: { 'example.com/a': 'b' } }), 'c')
})

for (const [what, work, message] of [
  ['no name', withMetadata({}), 'metadata.name: Required value: a work needs a name'],
  ['a name that is no label', withMetadata({ name: 'A.b' }), /metadata.name: Invalid value: "A.b": .*RFC 1123 label/],
  ['generateName', withMetadata({ name: 'w', generateName: 'w-' }), /metadata.generateName: Forbidden/],
  ['another namespace', withMetadata({ name: 'w', namespace: 'd' }), /metadata.namespace: .*consumer "c"/],
  ['an invalid label', withMetadata({ name: 'w', labels: { 'a b': 'c' } }), /metadata.labels: Invalid value: "a b"/],
  ['no manifests', withManifests(), 'Workload manifests should not be empty'],
  ['no apiVersion', withManifests({ ...manifest, apiVersion: '' }), /manifests\[0\].apiVersion: Required value/],
  ['a bad apiVersion', withManifests({ ...manifest, apiVersion: 'a/b/c' }), /manifests\[0\].apiVersion: Invalid value/],
  ['no kind', withManifests({ ...manifest, kind: undefined }), /manifests\[0\].kind: Required value/],
  ['a manifest without a name', withManifests({ ...manifest, metadata: {} }), /manifests\[0\].metadata.name: Required/],
  [
    'a manifest with generateName',
    withManifests({ ...manifest, metadata: { name: 'a', generateName: 'a' } }),
    /Forbidden/,
  ],
  ['a manifest twice', withManifests(manifest ?? {}, manifest ?? {}), /manifests\[1\]: Duplicate value: .*settings/],
  [
    'more than 500 KiB',
    withManifests({ ...manifest, data: { text: 'x'.repeat(512_000) } }),
    /the size of manifests is \d+ bytes which exceeds the 512000 limit/,
  ],
] as const) {
  test(`checkWork: rejects ${what}`, () => {
    assert.throws(
      () => checkWork(work, 'c'),
      (error) => {
        assert.ok(error instanceof StatusError)
        assert.equal(error.reason, 'Invalid')
        if (typeof message === 'string') assert.ok(error.message.includes(message), error.message)
        else assert.match(error.message, message)
        return true
      },
    )
  })
}

test('checkConsumer: rejects a name that no consumer can have', () => {
  checkConsumer('us-east-mgmt-01')
  assert.throws(() => checkConsumer("a' or 'a'='a"), /consumer .* is not valid/)
})
