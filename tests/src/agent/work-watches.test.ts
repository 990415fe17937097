import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigMap, Namespace } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import { configMap, holdsData, inDefault, type Side, WorkPair } from './work-pair.js'

/** The watches of ConfigMaps that the agent has opened, in order. */
function watches({ requests }: Side): string[] {
  return requests.flatMap(({ path }) => {
    const { pathname, searchParams } = new URL(path, 'https://cluster')
    if (!pathname.endsWith('/configmaps') || searchParams.get('watch') !== 'true') return []
    const namespace = /namespaces\/([^/]+)/.exec(pathname)?.[1] ?? '*'
    return [`${namespace}/${searchParams.get('fieldSelector')?.replace('metadata.name=', '') ?? '*'}`]
  })
}

const inNamespace = (namespace: string, name: string) => configMap(name, { x: '1' }, { namespace })

test('watches: one for a single object, one for several in a namespace, one for many namespaces', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('one', [configMap('a', { x: '1' })])
  await pair.whenApplied('one')
  assert.deepEqual(watches(pair.spoke), ['default/a'])
  await pair.createWork('two', [configMap('b', { x: '1' })])
  await pair.whenApplied('two')
  assert.deepEqual(watches(pair.spoke), ['default/a', 'default/*'])
  const spread: object[] = []
  for (let n = 0; n < 9; n++) {
    await pair.spoke.client.create(Namespace, { metadata: { name: `n${n}` } })
    spread.push(inNamespace(`n${n}`, 'c'))
  }
  await pair.createWork('many', spread)
  await pair.whenApplied('many')
  assert.deepEqual(watches(pair.spoke), ['default/a', 'default/*', '*/*'])
  await pair.spoke.client.patch(ConfigMap, inDefault('a'), { data: { x: '9' } })
  await pair.spoke.when(ConfigMap, inDefault('a'), holdsData({ x: '1' }))
})

test('watches: are closed when unused, and opened again', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('one', [configMap('a', { x: '1' })])
  await pair.whenApplied('one')
  await pair.deleteWork('one')
  await pair.whenWorkGone('one')
  await pair.createWork('two', [configMap('a', { x: '2' })])
  await pair.whenApplied('two')
  await eventually('it is watched again', () => watches(pair.spoke).length === 2)
})

test('watches: objects without a watch are polled', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent({ options: { maxWatches: 0, pollMilliseconds: 50 } })
  await pair.createWork('w', [configMap('a', { x: '1' })])
  await pair.whenApplied('w')
  assert.deepEqual(watches(pair.spoke), [])
  await pair.spoke.client.patch(ConfigMap, inDefault('a'), { data: { x: '9' } })
  await pair.spoke.when(ConfigMap, inDefault('a'), holdsData({ x: '1' }))
})
