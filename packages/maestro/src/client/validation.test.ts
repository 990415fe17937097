import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewManifestWork } from '@orrery/api'
import { StatusError } from '@orrery/kinds/values'
import { newWork } from './server.fixture.js'
import { checkConsumer, checkWork } from './validation.js'

const [manifest] = newWork('w').spec?.workload?.manifests ?? []
const withManifests = (...manifests: object[]) =>
  ({ ...newWork('w'), spec: { workload: { manifests } } }) as NewManifestWork
const identifier = { group: '', resource: 'configmaps', namespace: 'default', name: 'settings' }
const withConfig = (config: object) => withSpec({ manifestConfigs: [{ resourceIdentifier: identifier, ...config }] })
const withSpec = (spec: object) => ({ ...newWork('w'), spec: { ...newWork('w').spec, ...spec } }) as NewManifestWork
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
  ['manifests that are no list', withSpec({ workload: { manifests: {} } }), /spec.workload.manifests: Invalid value/],
  [
    'a misspelled spec',
    { ...newWork('w'), sepc: {} } as NewManifestWork,
    'sepc: Invalid value: "sepc": unknown field: use ',
  ],
  [
    'misspelled labels',
    withMetadata({ name: 'w', lables: {} }),
    /metadata.lables: .*unknown field: use name, .*labels/,
  ],
  [
    'a misspelled part of the workload',
    withSpec({ workload: { manifest: [] } }),
    /spec.workload.manifest: .*manifests/,
  ],
  [
    'misspelled feedback rules',
    withConfig({ feedbackRule: [{ type: 'WellKnownStatus' }] }),
    /spec.manifestConfigs\[0\].feedbackRule: Invalid value: "feedbackRule": unknown field: use .*feedbackRules/,
  ],
  [
    'a misspelled path of feedback',
    withConfig({ feedbackRules: [{ type: 'JSONPaths', jsonPath: [{ name: 'a', path: '.a' }] }] }),
    /spec.manifestConfigs\[0\].feedbackRules\[0\].jsonPath: .*use type, jsonPaths/,
  ],
  [
    'a feedback type that does not exist',
    withConfig({ feedbackRules: [{ type: 'Wellknown' }] }),
    'feedbackRules[0].type: Unsupported value: "Wellknown": supported values: "WellKnownStatus", "JSONPaths"',
  ],
  ['a propagation policy that does not exist', withSpec({ deleteOption: { propagationPolicy: 'Keep' } }), /"Orphan"/],
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

test('checkWork: accepts feedback rules, fields of any kind in manifests, and the status of a work that was read', () => {
  const feedbackRules = [{ type: 'JSONPaths', jsonPaths: [{ name: 'a', path: '.a' }] }]
  checkWork(withConfig({ feedbackRules, updateStrategy: { type: 'ServerSideApply' } }), 'c')
  checkWork(withManifests({ ...manifest, data: { feedbackRule: 'x' } }), 'c')
  checkWork({ ...newWork('w'), status: { newField: 1 } } as unknown as NewManifestWork, 'c')
})

test('checkWork: accepts what a stored work has that this version does not know, and no more', () => {
  const before = withConfig({ newField: 1, feedbackRules: [{ type: 'NewType' }] })
  checkWork({ ...before, metadata: { name: 'w', labels: { a: 'b' } } }, 'c', before)
  const after = withConfig({ newField: 1, feedbackRule: [], feedbackRules: [{ type: 'NewType' }] })
  assert.throws(() => checkWork(after, 'c', before), /is invalid: spec.manifestConfigs\[0\].feedbackRule: /)
})

test('checkConsumer: rejects a name that no consumer can have', () => {
  checkConsumer('us-east-mgmt-01')
  assert.throws(() => checkConsumer("a' or 'a'='a"), /consumer .* is not valid/)
})
