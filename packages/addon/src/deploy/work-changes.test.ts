import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ManifestWork, NewManifestWork } from '@orrery/api'
import { workChanges } from './work-changes.js'

const OWNER = { apiVersion: 'v1', kind: 'Owner', name: 'owner', uid: 'u1' }

interface Settings {
  readonly applied?: 'now' | 'before'
  readonly hash?: string
  readonly owner?: string
}

function work(
  name: string,
  manifests: readonly string[],
  { applied, hash, owner = 'u1' }: Settings = {},
): ManifestWork {
  const observedGeneration = applied === 'now' ? 2 : 1
  return {
    metadata: {
      name,
      generation: 2,
      ownerReferences: [{ ...OWNER, uid: owner }],
      ...(hash !== undefined && { annotations: { 'open-cluster-management.io/config-spec-hash': hash } }),
    },
    spec: {
      workload: {
        manifests: manifests.map((one) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: one } })),
      },
    },
    ...(applied !== undefined && { status: { conditions: [{ type: 'Applied', status: 'True', observedGeneration }] } }),
  } as unknown as ManifestWork
}

function changed(current: readonly ManifestWork[], wanted: readonly ManifestWork[]) {
  const { write, remove } = workChanges(current, wanted as unknown as NewManifestWork[])
  return { write: write.map(({ metadata }) => metadata.name), remove: remove.map(({ metadata }) => metadata.name) }
}

suite('workChanges', () => {
  test('has nothing to write for works that are as wanted', () => {
    const works = [work('w0', ['a']), work('w1', ['b'])]
    assert.deepEqual(changed(works, works), { write: [], remove: [] })
  })

  test('writes new and changed works, and removes those without manifests', () => {
    const current = [work('w0', ['a']), work('w1', ['b'])]
    assert.deepEqual(changed(current, [work('w0', ['a', 'c']), work('w2', ['d'])]), {
      write: ['w0', 'w2'],
      remove: ['w1'],
    })
  })

  test('writes a work with another owner, or with a hash that it should not have', () => {
    assert.deepEqual(changed([work('w0', ['a'], { owner: 'before' })], [work('w0', ['a'])]), {
      write: ['w0'],
      remove: [],
    })
    assert.deepEqual(changed([work('w0', ['a'], { hash: '{}' })], [work('w0', ['a'])]), { write: ['w0'], remove: [] })
  })

  test('takes a manifest from its old work only when the new one is applied', () => {
    const wanted = [work('w0', ['a']), work('w1', ['b'])]
    const old = work('w0', ['a', 'b'])
    assert.deepEqual(changed([old], wanted), { write: ['w1'], remove: [] })
    assert.deepEqual(changed([old, work('w1', ['b'])], wanted), { write: [], remove: [] })
    assert.deepEqual(changed([old, work('w1', ['b'], { applied: 'before' })], wanted), { write: [], remove: [] })
    assert.deepEqual(changed([old, work('w1', ['b'], { applied: 'now' })], wanted), { write: ['w0'], remove: [] })
  })

  test('removes a work whose manifests have moved only when the other one is applied', () => {
    const wanted = [work('w0', ['a', 'b'])]
    const old = work('w1', ['b'])
    assert.deepEqual(changed([work('w0', ['a']), old], wanted), { write: ['w0'], remove: [] })
    assert.deepEqual(changed([work('w0', ['a', 'b'], { applied: 'now' }), old], wanted), { write: [], remove: ['w1'] })
  })
})
