import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { ConfigMap } from '@orrery/kinds'
import { KubeClient } from './client.js'
import type { HttpRequest, HttpResponse } from './transport.js'

/** Answers every request with an empty object, and records its path. */
function recording() {
  const paths: string[] = []
  const request = ({ path }: HttpRequest): Promise<HttpResponse> => {
    paths.push(path)
    const text = Buffer.from('{}')
    return Promise.resolve({ status: 200, headers: {}, body: Readable.from([text]), bytes: async () => text })
  }
  return { paths, transport: { request } }
}

const draft = { metadata: { namespace: 'default', name: 'a' } }
const PATH = '/api/v1/namespaces/default/configmaps/a'

test('KubeClient: rejects an apply without a field manager, and sends nothing', async () => {
  const { paths, transport } = recording()
  const applied = new KubeClient(transport).apply(ConfigMap, draft)
  await assert.rejects(applied, /^TypeError: apply of ConfigMap a: give a fieldManager/)
  assert.deepEqual(paths, [])
})

test('KubeClient: sends the field manager of the call, else its own, else none', async () => {
  const { paths, transport } = recording()
  const client = new KubeClient(transport)
  const named = client.withFieldManager('me')
  await named.apply(ConfigMap, draft)
  await named.apply(ConfigMap, draft, { fieldManager: 'other' })
  await named.withFieldManager('late').update(ConfigMap, draft)
  await client.update(ConfigMap, draft)
  assert.deepEqual(paths, [`${PATH}?fieldManager=me`, `${PATH}?fieldManager=other`, `${PATH}?fieldManager=me`, PATH])
})
