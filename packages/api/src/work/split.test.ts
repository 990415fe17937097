import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { EmbeddedObject } from '../schema/index.js'
import { ManifestWork, type NewManifestWork } from './manifest-work.js'
import { PART_ANNOTATION, PART_OF_LABEL } from './names.js'
import { partChanges } from './part-changes.js'
import { partName, partNumber, partOfValue } from './parts.js'
import { manifestSize } from './size.js'
import { splitWork } from './split.js'

const LIMIT = 1_000

function manifest(kind: string, name: string, bytes = 100): EmbeddedObject {
  const apiVersion = kind === 'Deployment' ? 'apps/v1' : 'v1'
  const empty = { apiVersion, kind, metadata: { name, namespace: 'n' }, data: { fill: '' } }
  return { ...empty, data: { fill: 'x'.repeat(Math.max(0, bytes - manifestSize(empty))) } }
}

function workOf(manifests: EmbeddedObject[], name = 'big'): NewManifestWork {
  return { metadata: { namespace: 'c1', name, labels: { team: 'blue' } }, spec: { workload: { manifests } } }
}

/** The parts as a server keeps them. */
function stored(parts: readonly NewManifestWork[]): ManifestWork[] {
  return parts.map((part) => {
    const { metadata, spec } = ManifestWork.complete(part)
    const meta = { ...metadata, uid: 'u', resourceVersion: '1', creationTimestamp: '2030-01-01T00:00:00Z' }
    return {
      apiVersion: 'work.open-cluster-management.io/v1',
      kind: 'ManifestWork',
      metadata: meta,
      spec,
    } as ManifestWork
  })
}

const namesIn = ({ spec }: NewManifestWork) => (spec?.workload?.manifests ?? []).map(({ metadata }) => metadata?.name)
const partsOf = (parts: readonly NewManifestWork[]) =>
  Object.fromEntries(parts.map((part) => [part.metadata.name, namesIn(part).join(' ')]))

suite('splitWork', () => {
  test('returns a work within the limits unchanged', () => {
    const work = workOf([manifest('Deployment', 'a'), manifest('Namespace', 'b')])
    assert.deepEqual(splitWork(work, { limit: LIMIT }), [work])
    assert.equal(splitWork(work)[0], work)
  })

  test('splits a large work, with dependencies in the first part', () => {
    const manifests = [
      manifest('Deployment', 'd', 400),
      manifest('ConfigMap', 'c', 400),
      manifest('Namespace', 'n', 400),
      manifest('CustomResourceDefinition', 'x', 400),
      manifest('Widget', 'w', 400),
    ]
    const parts = splitWork(
      { ...workOf(manifests), spec: { workload: { manifests }, deleteOption: { propagationPolicy: 'Orphan' } } },
      { limit: LIMIT },
    )
    assert.deepEqual(partsOf(parts), { big: 'n x', 'big-2': 'd c', 'big-3': 'w' })
    for (const { metadata, spec } of parts) {
      assert.deepEqual(metadata.labels, { team: 'blue', [PART_OF_LABEL]: 'big' })
      assert.equal(metadata.namespace, 'c1')
      assert.deepEqual(spec?.deleteOption, { propagationPolicy: 'Orphan' })
    }
    assert.deepEqual(
      parts.map(({ metadata }) => metadata.annotations?.[PART_ANNOTATION]),
      ['1/3', '2/3', '3/3'],
    )
  })

  test('splits a work with many manifests, because the status is limited', () => {
    const work = workOf(Array.from({ length: 501 }, (_, at) => manifest('ConfigMap', `m${at}`)))
    assert.deepEqual(
      splitWork(work).map((part) => namesIn(part).length),
      [500, 1],
    )
    const four = ['a', 'b', 'c', 'd'].map((name) => manifest('ConfigMap', name))
    const before = stored(splitWork(workOf(four), { most: 2 }))
    assert.deepEqual(partsOf(before), { big: 'a b', 'big-2': 'c d' })
    const parts = splitWork(workOf([manifest('ConfigMap', 'new'), ...four]), { most: 2, current: before })
    assert.deepEqual(partsOf(parts), { big: 'a b', 'big-2': 'c d', 'big-3': 'new' })
  })

  test('rejects a manifest that exceeds the limit alone', () => {
    const work = workOf([manifest('ConfigMap', 'a'), manifest('ConfigMap', 'huge', 1_000)])
    assert.throws(
      () => splitWork(work, { limit: LIMIT }),
      /^RangeError: manifest 1, ConfigMap n\/huge, takes 1001 bytes: no more than 1000 fit/,
    )
  })
})

suite('splitWork with existing parts', () => {
  const four = ['a', 'b', 'c', 'd'].map((name) => manifest('ConfigMap', name, 440))
  const before = stored(splitWork(workOf(four), { limit: LIMIT }))
  const changed = (manifests: EmbeddedObject[]) => splitWork(workOf(manifests), { limit: LIMIT, current: before })

  test('keeps manifests in their part', () => {
    assert.deepEqual(partsOf(before), { big: 'a b', 'big-2': 'c d' })
    const parts = changed([manifest('ConfigMap', 'new', 100), ...four.toReversed()])
    assert.deepEqual(partsOf(parts), { big: 'new b a', 'big-2': 'd c' })
  })

  test('returns no changes for the same work', () => {
    assert.deepEqual(partChanges(before, changed(four)), { first: [], afterwards: [], removed: [] })
  })

  test('adds parts, and removes manifests only after they are applied in another part', () => {
    const [a, b, c, d] = four as [EmbeddedObject, EmbeddedObject, EmbeddedObject, EmbeddedObject]
    const parts = changed([manifest('ConfigMap', 'a', 900), b, c, d, a].slice(0, 4))
    assert.deepEqual(partsOf(parts), { big: 'a', 'big-2': 'c d', 'big-3': 'b' })
    const { first, afterwards, removed } = partChanges(before, parts)
    assert.deepEqual(
      first.map(({ metadata }) => metadata.name),
      ['big-2', 'big-3'],
    )
    assert.deepEqual(
      afterwards.map(({ metadata }) => metadata.name),
      ['big'],
    )
    assert.deepEqual(removed, [])
  })

  test('removes parts that are no longer needed', () => {
    const parts = changed(four.slice(2))
    assert.deepEqual(partsOf(parts), { big: 'c d' })
    assert.equal(parts[0]?.metadata.annotations?.[PART_ANNOTATION], '1/1')
    const { first, afterwards, removed } = partChanges(before, parts)
    assert.deepEqual(
      first.map(({ metadata }) => metadata.name),
      ['big'],
    )
    assert.deepEqual(afterwards, [])
    assert.deepEqual(
      removed.map(({ metadata }) => metadata.name),
      ['big-2'],
    )
  })

  test('always has a part with the name of the whole', () => {
    const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => manifest('ConfigMap', name, 440))
    const current = stored(splitWork(workOf(six), { limit: LIMIT }))
    const parts = splitWork(workOf(six.slice(2)), { limit: LIMIT, current })
    assert.deepEqual(partsOf(parts), { big: 'c d', 'big-3': 'e f' })
    assert.deepEqual(
      partChanges(current, parts).removed.map(({ metadata }) => metadata.name),
      ['big-2'],
    )
  })
})

test('splitWork: each manifest is in one part, parts are within the limits, and no part both loses and gains', () => {
  const kinds = fc.constantFrom('Namespace', 'ConfigMap', 'Deployment', 'Widget')
  const lists = fc.uniqueArray(fc.record({ kind: kinds, id: fc.nat(40), bytes: fc.integer({ min: 90, max: 900 }) }), {
    selector: ({ kind, id }) => `${kind}/${id}`,
    maxLength: 25,
  })
  const manifestsFrom = (list: readonly { kind: string; id: number; bytes: number }[]) =>
    list.map(({ kind, id, bytes }) => manifest(kind, `m${id}`, bytes))
  fc.assert(
    fc.property(lists, lists, fc.integer({ min: 1, max: 12 }), (one, other, most) => {
      const before = stored(splitWork(workOf(manifestsFrom(one)), { limit: LIMIT, most }))
      const wanted = manifestsFrom(other)
      const parts = splitWork(workOf(wanted), { limit: LIMIT, most, current: before })
      const all = parts.flatMap(({ spec }) => spec?.workload?.manifests ?? [])
      assert.deepEqual(new Set(all), new Set(wanted))
      assert.equal(all.length, wanted.length)
      assert.equal(new Set(parts.map(({ metadata }) => metadata.name)).size, parts.length)
      for (const { spec } of parts) {
        const size = (spec?.workload?.manifests ?? []).reduce((sum, item) => sum + manifestSize(item), 0)
        assert.ok(size <= LIMIT)
        assert.ok((spec?.workload?.manifests?.length ?? 0) <= most)
      }
      const { afterwards } = partChanges(before, parts)
      const inFirst = new Set(before.flatMap(namesIn))
      for (const part of afterwards) {
        const had = new Set(
          namesIn(before.find(({ metadata }) => metadata.name === part.metadata.name) as ManifestWork),
        )
        for (const name of namesIn(part)) assert.ok(had.has(name) || !inFirst.has(name))
      }
    }),
  )
})

test('partName, partNumber: derive from the name of the whole', () => {
  assert.equal(partName('w', 1), 'w')
  assert.equal(partName('w', 12), 'w-12')
  for (const [name, number] of [
    ['w', 1],
    ['w-2', 2],
    ['w-10', 10],
    ['w-1', undefined],
    ['w-02', undefined],
    ['w-x', undefined],
    ['v-2', undefined],
  ] as const) {
    assert.equal(partNumber('w', name), number, name)
  }
  assert.equal(partOfValue('a.b'), 'a.b')
  const long = partOfValue('w'.repeat(100))
  assert.equal(long.length, 63)
  assert.notEqual(long, partOfValue('w'.repeat(101)))
})
