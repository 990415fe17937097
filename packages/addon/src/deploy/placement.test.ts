import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { MANIFEST_LIMIT, type ManifestWork, manifestSize } from '@orrery/api'
import type { Manifest } from '../agent-addon.js'
import { divide } from './placement.js'

const KB = 1_000

function manifest(name: string, bytes = 1 * KB, apiVersion = 'v1'): Manifest {
  return { apiVersion, kind: 'ConfigMap', metadata: { namespace: 'default', name }, data: { text: 'x'.repeat(bytes) } }
}

function work(name: string, ...manifests: readonly Manifest[]): ManifestWork {
  return { metadata: { name }, spec: { workload: { manifests } } } as unknown as ManifestWork
}

/** The names of the manifests in each work. */
function divided(manifests: readonly Manifest[], existing: readonly ManifestWork[] = []): Record<string, string[]> {
  const { works } = divide('addon-a-deploy', manifests, existing)
  return Object.fromEntries(works.map((one) => [one.name, one.manifests.map(({ metadata }) => metadata.name ?? '')]))
}

suite('divide', () => {
  test('puts manifests into one work, in their order', () => {
    assert.deepEqual(divided([manifest('small'), manifest('large', 9 * KB), manifest('other')]), {
      'addon-a-deploy-0': ['small', 'large', 'other'],
    })
  })

  test('makes no work without manifests', () => {
    assert.deepEqual(divided([]), {})
    assert.deepEqual(divided([], [work('addon-a-deploy-0', manifest('gone'))]), {})
  })

  test('fills a work to 80 % of the limit, the largest manifests first', () => {
    const manifests = [
      manifest('a', 100 * KB),
      manifest('b', 300 * KB),
      manifest('c', 300 * KB),
      manifest('d', 90 * KB),
    ]
    assert.deepEqual(divided(manifests), { 'addon-a-deploy-0': ['a', 'b'], 'addon-a-deploy-1': ['c', 'd'] })
  })

  test('has room for a manifest up to the limit, in a work of its own', () => {
    const frame = manifestSize(manifest('large', 500_000)) - 500_000
    const large = manifest('large', MANIFEST_LIMIT - frame)
    assert.deepEqual(divided([manifest('small'), large]), {
      'addon-a-deploy-0': ['large'],
      'addon-a-deploy-1': ['small'],
    })
    assert.throws(() => divided([manifest('large', MANIFEST_LIMIT)]), {
      name: 'RangeError',
      message: /^ConfigMap default\/large takes \d+ bytes: no more than 512000 fit into one work$/,
    })
  })

  test('leaves manifests where they are, and adds new ones to the work with the most room', () => {
    const existing = [
      work('addon-a-deploy-0', manifest('a', 200 * KB), manifest('b')),
      work('addon-a-deploy-1', manifest('c', 50 * KB)),
    ]
    const manifests = [manifest('new', 10 * KB), manifest('c', 90 * KB), manifest('b'), manifest('a', 200 * KB)]
    assert.deepEqual(divided(manifests, existing), {
      'addon-a-deploy-0': ['a', 'b'],
      'addon-a-deploy-1': ['c', 'new'],
    })
  })

  test('does not depend on the order of the manifests', () => {
    const manifests = [manifest('a', 250 * KB), manifest('b', 300 * KB), manifest('c', 2 * KB)]
    const { works } = divide('addon-a-deploy', manifests, [])
    const existing = works.map((one) => work(one.name, ...one.manifests))
    const again = divide('addon-a-deploy', manifests.toReversed(), existing)
    assert.deepEqual(again, { works, hasNew: false })
  })

  test('keeps a manifest in its work when its API version changes', () => {
    const existing = [work('addon-a-deploy-0', manifest('a')), work('addon-a-deploy-1', manifest('b', KB, 'v1beta1'))]
    assert.deepEqual(divided([manifest('b', KB, 'v1'), manifest('a')], existing), {
      'addon-a-deploy-0': ['a'],
      'addon-a-deploy-1': ['b'],
    })
  })

  test('omits works that are empty, and takes the first free number for a new one', () => {
    const existing = [work('addon-a-deploy-1', manifest('a', 400 * KB)), work('addon-a-deploy-2', manifest('gone'))]
    assert.deepEqual(divided([manifest('a', 400 * KB)], existing), { 'addon-a-deploy-1': ['a'] })
    const manifests = [manifest('a', 400 * KB), manifest('b', 400 * KB), manifest('c', 400 * KB)]
    assert.deepEqual(divided(manifests, existing), {
      'addon-a-deploy-1': ['a'],
      'addon-a-deploy-2': ['b'],
      'addon-a-deploy-0': ['c'],
    })
  })

  test('moves what has outgrown its work', () => {
    const existing = [work('addon-a-deploy-0', manifest('a', 200 * KB), manifest('b', 100 * KB))]
    assert.deepEqual(divided([manifest('a', 200 * KB), manifest('b', 400 * KB)], existing), {
      'addon-a-deploy-0': ['a'],
      'addon-a-deploy-1': ['b'],
    })
  })

  test('keeps the name of a work without a number, as older versions have it', () => {
    assert.deepEqual(divided([manifest('a')], [work('addon-a-deploy', manifest('a'))]), { 'addon-a-deploy': ['a'] })
  })
})
