import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '@orrery/kinds'
import { StatusError } from '@orrery/kinds/values'
import { metricsGroup } from './metrics-group.js'

const usage = { cores: 0.5, bytes: 2048 }
const pod = (namespace: string, name: string) => ({
  pod: { metadata: { namespace, name } } as Pod,
  containers: new Map([['main', usage]]),
})
const group = metricsGroup(
  async () => [{ name: 'n', usage, pods: [pod('a', 'x'), pod('a', 'y'), pod('b', 'x')] }],
  () => new Date(0),
)

async function listed(namespace: string, query: Record<string, string>): Promise<string[]> {
  let body = ''
  const exchange = {
    reply: (_status: number, _headers: object, bytes: Buffer) => {
      body = bytes.toString('utf8')
    },
    stream: () => assert.fail('metrics are not a stream'),
    onClose: () => undefined,
  }
  await group.serve(exchange, { namespace, resource: 'pods', name: '', query: { get: (key) => query[key] ?? '' } })
  const { items } = JSON.parse(body) as { items: { metadata: { namespace: string; name: string } }[] }
  return items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
}

test('metricsGroup: lists the pods that a field selector selects', async () => {
  assert.deepEqual(await listed('', {}), ['a/x', 'a/y', 'b/x'])
  assert.deepEqual(await listed('a', {}), ['a/x', 'a/y'])
  assert.deepEqual(await listed('', { fieldSelector: 'metadata.name=x' }), ['a/x', 'b/x'])
  assert.deepEqual(await listed('', { fieldSelector: 'metadata.namespace!=a' }), ['b/x'])
})

test('metricsGroup: refuses selectors that it cannot apply', async () => {
  for (const query of [{ fieldSelector: 'spec.nodeName=n' }, { fieldSelector: 'nonsense' }, { labelSelector: '(' }]) {
    await assert.rejects(listed('', query), (error) => error instanceof StatusError && error.code === 400)
  }
})
