import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionPlugin } from '../admission/types.js'
import { failureOf, testServer } from '../testing/test-server.fixture.js'
import { refused } from './refused.js'

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'

interface Workload {
  spec: { template: { metadata: { labels: Record<string, string> } } }
}

let times = 0

/** Counts its calls in the object that it gets, and refuses ten replicas. */
const careless: AdmissionPlugin = {
  name: 'Careless',
  mutate({ object, resource }) {
    if (resource.plural !== 'deployments') return
    const { template } = (object as unknown as Workload).spec
    template.metadata.labels.times = String(++times)
  },
  validate(request) {
    if ((request.object?.spec as { replicas?: number } | undefined)?.replicas !== 10) return
    throw refused(request, 'ten is too many')
  },
}

test('admissionPlugins: isolates stored objects from changes of an external plugin', async (t) => {
  const { client } = await testServer(t, { admission: () => [careless] })
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const labels = { matchLabels: { a: 'b' } }
  await client.create(DEPLOYMENTS, { metadata: { name: 'x' }, spec: { selector: labels, template } })
  // Indented responses are encoded from the parsed object that all readers share.
  const before = await client.get(`${DEPLOYMENTS}/x?pretty=true`)
  const scale = { metadata: { name: 'x' }, spec: { replicas: 10 } }
  const ten = await failureOf(client.update(`${DEPLOYMENTS}/x/scale`, scale))
  assert.equal(ten.code, 403)
  assert.match(ten.message, /ten is too many/)
  assert.equal(times, 2)
  assert.deepEqual(await client.get(`${DEPLOYMENTS}/x?pretty=true`), before)
})
