import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import type { CustomResourceDefinition, Draft } from '@orrery/kinds'
import { createLogger, KubeClient, type Logger } from '@orrery/kube'
import { ensureCrds } from '@orrery/kube/write'
import { counting } from './suite/subject.js'

function definition(plural: string, kind: string): Draft<CustomResourceDefinition> {
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      names: { plural, kind, singular: kind.toLowerCase() },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  }
}

async function connect(t: TestContext) {
  const server = await startApiServer({ host: false })
  t.after(() => server.close())
  const transport = counting(server.client().transport)
  return { client: new KubeClient(transport), requests: transport.requests }
}

test('ensureCrds: resolves when the server serves the kinds, and writes nothing the next time', async (t) => {
  const { client, requests } = await connect(t)
  const crds = [definition('widgets', 'Widget'), definition('gadgets', 'Gadget')]
  await ensureCrds(client, crds, { fieldManager: 'example' })
  const Widget = {
    group: 'example.com',
    version: 'v1',
    plural: 'widgets',
    kind: 'Widget',
    scope: 'Namespaced',
  } as const
  assert.deepEqual((await client.list(Widget)).items, [])
  requests.length = 0
  await ensureCrds(client, crds, { fieldManager: 'example' })
  assert.deepEqual(requests.map((request) => request.split(' ')[0]).sort(), ['GET', 'GET'])
})

test('ensureCrds: rejects with the CRDs that are not served in time, and why', async (t) => {
  const { client } = await connect(t)
  await ensureCrds(client, [definition('widgets', 'Widget')], { fieldManager: 'example' })
  const conflicting = [definition('gizmos', 'Widget')]
  const ensured = ensureCrds(client, conflicting, { fieldManager: 'example', timeoutMilliseconds: 500 })
  await assert.rejects(ensured, /does not serve gizmos\.example\.com \(.*Widget.*\) after 0\.5 s/)
})

test('ensureCrds: rejects with the reason when it is aborted', async (t) => {
  const { client } = await connect(t)
  await ensureCrds(client, [definition('widgets', 'Widget')], { fieldManager: 'example' })
  const abort = new AbortController()
  const ensured = ensureCrds(client, [definition('gizmos', 'Widget')], {
    fieldManager: 'example',
    signal: abort.signal,
  })
  abort.abort(new Error('the process stops'))
  await assert.rejects(ensured, /the process stops/)
})

test('ensureCrds: logs a watch that fails, but only to the log that it is given', async (t) => {
  const { client } = await connect(t)
  const { transport } = client
  const request: typeof transport.request = (one) =>
    one.path.includes('customresourcedefinitions?') && one.method === 'GET'
      ? Promise.reject(new Error('connection refused'))
      : transport.request(one)
  const cut = new KubeClient({ request })
  const written = t.mock.method(process.stderr, 'write', () => true)
  const ensured = (plural: string, log?: Logger) =>
    ensureCrds(cut, [definition(plural, plural)], {
      fieldManager: 'example',
      timeoutMilliseconds: 50,
      ...(log !== undefined && { log }),
    })
  await assert.rejects(ensured('widgets'), /does not serve widgets\.example\.com after 0\.05 s/)
  assert.equal(written.mock.callCount(), 0)
  const lines: string[] = []
  const log = createLogger({ write: (line) => lines.push(line) })
  await assert.rejects(ensured('gadgets', log), /does not serve gadgets\.example\.com/)
  assert.match(lines.join(''), /connection refused.*cannot watch the API server/)
})
