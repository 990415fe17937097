import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ImageMirror, ManagedCluster } from '@orrery/api'
import fc from 'fast-check'
import { imageRegistries, overrideImage } from './images.js'

const IMAGE = 'quay.io/ocm/agent:v1'

suite('overrideImage', () => {
  const table: readonly [title: string, registries: ImageMirror[], image: string][] = [
    ['no registry', [], IMAGE],
    ['a prefix', [{ source: 'quay.io/ocm', mirror: 'mirror/x' }], 'mirror/x/agent:v1'],
    ['slashes at the ends', [{ source: 'quay.io/ocm/', mirror: 'mirror/' }], 'mirror/agent:v1'],
    ['another prefix', [{ source: 'docker.io', mirror: 'mirror' }], IMAGE],
    ['the whole image', [{ source: IMAGE, mirror: 'mirror/agent:v2' }], 'mirror/agent:v2'],
    ['no source', [{ mirror: 'mirror/all' }], 'mirror/all/agent:v1'],
    ['no source and no mirror', [{ source: '', mirror: '' }], 'agent:v1'],
    [
      'the last match',
      [
        { source: 'quay.io/ocm', mirror: 'first' },
        { source: 'quay.io', mirror: 'second' },
        { source: 'gcr.io', mirror: 'third' },
      ],
      'second/ocm/agent:v1',
    ],
  ]
  for (const [title, registries, image] of table) {
    test(title, () => assert.equal(overrideImage(registries, IMAGE), image))
  }

  const segment = fc.constantFrom('', 'a', 'a/b', 'quay.io', 'quay.io/', 'quay.io/x')
  const mirrors = fc.array(fc.record({ source: segment, mirror: segment }), { maxLength: 5 })
  const image = fc.tuple(segment, fc.constantFrom('agent', 'agent:v1')).map(([path, name]) => `${path}/${name}`)

  test('a later entry that changes the image decides alone', () => {
    fc.assert(
      fc.property(mirrors, fc.record({ source: segment, mirror: segment }), image, (earlier, last, name) => {
        const alone = overrideImage([last], name)
        const expected = alone === name ? overrideImage(earlier, name) : alone
        assert.equal(overrideImage([...earlier, last], name), expected)
      }),
    )
  })

  test('entries are never combined', () => {
    fc.assert(
      fc.property(mirrors, image, (registries, name) => {
        const results = [name, ...registries.map((registry) => overrideImage([registry], name))]
        assert.ok(results.includes(overrideImage(registries, name)))
      }),
    )
  })
})

suite('imageRegistries', () => {
  const cluster = (text?: string) =>
    ({
      metadata: {
        name: 'c1',
        annotations: text === undefined ? {} : { 'open-cluster-management.io/image-registries': text },
      },
    }) as ManagedCluster
  const ofCluster = '{"registries":[{"source":"a","mirror":"b"}]}'
  test('prefers the configuration to the cluster', () => {
    const registries = [{ source: 'x', mirror: 'y' }]
    assert.deepEqual(imageRegistries(cluster(ofCluster), { agentInstallNamespace: '', registries }), registries)
    assert.deepEqual(imageRegistries(cluster(ofCluster), undefined), [{ source: 'a', mirror: 'b' }])
    assert.deepEqual(imageRegistries(cluster(), undefined), [])
    assert.deepEqual(imageRegistries(cluster('{}'), undefined), [])
  })
  test('names the annotation and the cluster in errors', () => {
    for (const text of ['x', '[]', '{"registries":{}}', '{"registries":[{"source":"a"}]}']) {
      assert.throws(() => imageRegistries(cluster(text), undefined), /image-registries of cluster "c1" is not/, text)
    }
  })
})
