import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigMap } from '@orrery/kinds'
import { LocalInformer } from './local-informer.js'
import type { Change } from './types.js'

function configMap(name: string, uid: string, value: string): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'c1', name, uid, resourceVersion: '0', creationTimestamp: '2030-01-01T00:00:00Z' },
    data: { value },
  }
}

const brief = ({ type, after, before, initial }: Change<ConfigMap>) =>
  `${type} ${(after ?? before)?.metadata.name} ${after?.data?.value ?? '-'}${initial ? ' initial' : ''}`

test('LocalInformer: publishes what its owner sets, replaces and deletes, and no equal object', async () => {
  const informer = new LocalInformer<ConfigMap>(ConfigMap, { namespace: 'c1' })
  const changes: string[] = []
  informer.subscribe((change) => changes.push(brief(change)))
  const synced = informer.whenSynced()
  informer.replace([configMap('a', 'u1', '1'), configMap('b', 'u2', '1')])
  await synced
  await informer.whenSynced()
  informer.set(configMap('a', 'u1', '1'))
  // Sources without optimistic locking send every state under the same resourceVersion.
  informer.set(configMap('a', 'u1', '2'))
  informer.replace([configMap('a', 'u3', '2'), configMap('c', 'u4', '1')])
  informer.delete({ namespace: 'c1', name: 'c' })
  informer.delete({ namespace: 'c1', name: 'c' })
  assert.deepEqual(changes, [
    'added a 1 initial',
    'added b 1 initial',
    'updated a 2',
    'deleted a -',
    'added a 2',
    'added c 1',
    'deleted b -',
    'deleted c -',
  ])
  assert.equal(informer.size, 1)
  assert.deepEqual(informer.selection, { namespace: 'c1' })
})

test('LocalInformer: accepts frozen objects and keeps its own copy', () => {
  const informer = new LocalInformer<ConfigMap>(ConfigMap)
  informer.addIndex('value', ({ data }) => [data?.value ?? ''])
  const object = configMap('a', 'u1', '1')
  Object.freeze(object)
  Object.freeze(object.metadata)
  informer.set(object)
  assert.deepEqual(informer.byIndex('value', '1'), [object])
  assert.deepEqual(informer.list('c1'), [object])
  assert.equal(informer.synced, false)
})

test('LocalInformer: whenSynced rejects when its signal aborts', async () => {
  const informer = new LocalInformer<ConfigMap>(ConfigMap)
  const stopping = new AbortController()
  const waiting = informer.whenSynced(stopping.signal)
  stopping.abort(new Error('stopped'))
  await assert.rejects(waiting, /stopped/)
})
