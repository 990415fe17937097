import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManifestChange, ManifestWork } from '@orrery/api'
import { removedObjects } from './removed-objects.js'

const metaOf = (name: string) => ({
  ordinal: 0,
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  resource: 'configmaps',
  namespace: 'default',
  name,
})
const workWith = (names: readonly string[], spec: object = {}) =>
  ({
    spec,
    status: { resourceStatus: { manifests: names.map((name) => ({ resourceMeta: metaOf(name), conditions: [] })) } },
  }) as unknown as ManifestWork
const identifier = (name: string) => ({ group: '', resource: 'configmaps', namespace: 'default', name })
const changes = [{ action: 'None', resourceMeta: { ...metaOf('kept'), version: 'v2' } }] as ManifestChange[]
const removedFrom = (...parts: ManifestWork[]) =>
  removedObjects(parts, changes).map(({ resourceMeta }) => resourceMeta.name)

test('removedObjects: returns the objects of all parts of the work that are not in the changes', () => {
  assert.deepEqual(removedFrom(), [])
  assert.deepEqual(removedFrom(workWith(['kept', 'a']), workWith(['b'])), ['a', 'b'])
})

test('removedObjects: leaves out objects that the work orphans or only reads', () => {
  assert.deepEqual(removedFrom(workWith(['a'], { deleteOption: { propagationPolicy: 'Orphan' } })), [])
  const selectivelyOrphans = { orphaningRules: [identifier('a')] }
  const deleteOption = { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans }
  assert.deepEqual(removedFrom(workWith(['a', 'b'], { deleteOption })), ['b'])
  const manifestConfigs = [{ resourceIdentifier: identifier('r*'), updateStrategy: { type: 'ReadOnly' } }]
  assert.deepEqual(removedFrom(workWith(['read', 'b'], { manifestConfigs })), ['b'])
})
