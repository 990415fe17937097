import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOwnedByWork, type ManifestWork } from '@orrery/api'
import { readManifests } from './manifest.js'

const workWith = (manifests: unknown[]) => ({ spec: { workload: { manifests } } }) as unknown as ManifestWork
const named = (kind: string, apiVersion = 'v1') => ({ apiVersion, kind, metadata: { name: 'x' } })

test('readManifests: orders manifests by rank, and within a rank as in the work', () => {
  const kinds = ['Gadget', 'Deployment', 'ConfigMap', 'Namespace', 'Secret', 'APIService', 'Role', 'Widget']
  const { named: read } = readManifests(workWith(kinds.map((kind) => named(kind))))
  assert.deepEqual(
    read.map(({ object }) => object.kind),
    ['Namespace', 'Role', 'ConfigMap', 'Secret', 'Deployment', 'APIService', 'Gadget', 'Widget'],
  )
  assert.equal(read[0]?.ordinal, 3)
})

test('readManifests: reports what an invalid manifest lacks', () => {
  const { unusable, named: read } = readManifests(
    workWith([
      null,
      {},
      named('Pod', 'a/b/c'),
      { apiVersion: 'v1', kind: 'Pod', metadata: {} },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', namespace: 5 } },
      named('Pod'),
    ]),
  )
  assert.equal(read.length, 1)
  assert.deepEqual(
    unusable.map(({ problem }) => problem.replace(/\. .*/, '')),
    [
      'it is not an object',
      'it has no kind',
      '"a/b/c" is not a valid apiVersion',
      'it has no name',
      'metadata.namespace is not a string',
    ],
  )
})

test('planManifest: a work owns objects that are not orphaned', () => {
  const object = { group: '', resource: 'configmaps', namespace: 'default', name: 'a' }
  const rule = { resource: 'configmaps', namespace: 'default', name: 'a' }
  assert.equal(isOwnedByWork(object, undefined), true)
  assert.equal(isOwnedByWork(object, { propagationPolicy: 'Foreground' }), true)
  assert.equal(isOwnedByWork(object, { propagationPolicy: 'Orphan' }), false)
  assert.equal(isOwnedByWork(object, { propagationPolicy: 'SelectivelyOrphan' }), true)
  const selectivelyOrphans = { orphaningRules: [rule] }
  assert.equal(isOwnedByWork(object, { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans }), false)
  assert.equal(
    isOwnedByWork({ ...object, name: 'b' }, { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans }),
    true,
  )
})

test('planManifest: reads the orphaning rules of a work once for all objects', () => {
  let reads = 0
  const rule = {
    resource: 'configmaps',
    namespace: 'default',
    get name() {
      reads++
      return 'a'
    },
  }
  const option = { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans: { orphaningRules: [rule] } } as const
  const object = { group: '', resource: 'configmaps', namespace: 'default' }
  for (const name of ['a', 'b', 'c', 'a']) assert.equal(isOwnedByWork({ ...object, name }, option), name !== 'a')
  assert.equal(reads, 1)
})
