import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { worksIn } from './works-in.js'

const object = (kind: string, apiVersion: string, namespace?: string) =>
  ({ apiVersion, kind, metadata: { name: 'a', ...(namespace !== undefined && { namespace }) } }) as KubeObject
const WORK = 'work.open-cluster-management.io/v1'
const configMap = object('ConfigMap', 'v1', 'default')

test('worksIn: a work goes to the consumer of its namespace, else of the option', () => {
  const consumers = [object('ManifestWork', WORK, 'c1'), object('ManifestWork', WORK)].map((work) =>
    worksIn([work], { consumer: 'c1' }).map(({ consumer }) => consumer),
  )
  assert.deepEqual(consumers, [['c1'], ['c1']])
})

test('worksIn: with a name, the objects are the manifests of one work', () => {
  const [{ consumer, work } = assert.fail('no work'), ...more] = worksIn([configMap], { name: 'w', consumer: 'c1' })
  assert.deepEqual([consumer, work.metadata.name, work.spec?.workload?.manifests], ['c1', 'w', [configMap]])
  assert.equal(more.length, 0)
})

for (const [what, given, options, says] of [
  ['a work with --name', object('ManifestWork', WORK), { name: 'w', consumer: 'c1' }, /omit --name to apply it/],
  [
    'a misspelled kind',
    object('ManifestWrok', WORK, 'c1'),
    {},
    /work a has the kind ManifestWrok: set it to ManifestWork/,
  ],
  [
    'another apiVersion',
    object('ManifestWork', 'work/v1', 'c1'),
    {},
    /has the apiVersion work\/v1: set it to work\.open/,
  ],
  ['another object', configMap, {}, /ConfigMap a is not a ManifestWork: add --name and --consumer/],
  ['a work without a consumer', object('ManifestWork', WORK), {}, /has no namespace: .* add --consumer/],
  ['two consumers', object('ManifestWork', WORK, 'c1'), { consumer: 'c2' }, /namespace c1, but --consumer is c2: omit/],
] as const) {
  test(`worksIn: rejects ${what}`, () => assert.throws(() => worksIn([given], options), says))
}
