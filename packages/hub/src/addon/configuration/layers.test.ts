import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterManagementAddOn } from '@orrery/api'
import type { PlacementView } from '../../placement/index.js'
import { layersOf } from './layers.js'

const placement = (name: string, rolloutStrategy: object = { type: 'All' }) => ({
  namespace: 'default',
  name,
  rolloutStrategy,
})

function layers(
  placements: readonly object[],
  clusters: Readonly<Record<string, readonly string[]>>,
  groupSize?: string,
) {
  const installStrategy = { type: 'Placements', placements }
  const definition = { metadata: {}, spec: { installStrategy } } as unknown as ClusterManagementAddOn
  const view = ({ name }: { readonly name: string }): PlacementView => {
    const selected = clusters[name]
    if (selected === undefined) return { state: 'missing', groups: [], problem: 'does not exist' }
    return { state: 'decided', groups: [{ index: 0, name: '', clusters: selected }] }
  }
  return layersOf(definition, {}, { view, groupSize: () => groupSize })
}

test('layersOf: a cluster of several placements belongs to the last', () => {
  const found = layers([placement('p1'), placement('p2')], { p1: ['a', 'b'], p2: ['b', 'c'] })
  assert.equal(found.isComplete, true)
  const described = found.placements.map(({ placement: { name }, selected, groups }) => {
    return `${name}: ${groups.flatMap(({ clusters }) => clusters).join()} of ${selected}`
  })
  assert.deepEqual(described, ['p1: a of 2', 'p2: b,c of 2'])
})

test('layersOf: is not complete while a placement does not exist', () => {
  assert.equal(layers([placement('p1'), placement('p2')], { p1: ['a'] }).isComplete, false)
})

test('layersOf: maxConcurrency of a progressive rollout defaults to the size of a decision group', () => {
  const strategies = [
    { type: 'Progressive' },
    { type: 'Progressive', progressive: { maxConcurrency: 3 } },
    { type: 'All' },
  ]
  const found = layers(
    strategies.map((one, index) => placement(`p${index}`, one)),
    {},
    '20%',
  ).placements
  assert.deepEqual(
    found.map(({ strategy }) => strategy.progressive?.maxConcurrency),
    ['20%', 3, undefined],
  )
})
