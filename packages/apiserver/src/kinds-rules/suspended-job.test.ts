import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureOf, testServer } from '../testing/test-server.fixture.js'

const JOBS = '/apis/batch/v1/namespaces/default/jobs'

test('Job: can be resumed, and its scheduling directives changed while it is suspended', async (t) => {
  const { client } = await testServer(t)
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'example.com/c' }] } }
  await client.create(JOBS, { metadata: { name: 'later' }, spec: { suspend: true, template } })
  const path = `${JOBS}/later`
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['fast'] }] }],
    },
  }
  await client.patch(path, {
    spec: { template: { spec: { nodeSelector: { zone: 'a' }, affinity: { nodeAffinity } } } },
  })
  const image = { spec: { template: { spec: { containers: [{ name: 'c', image: 'example.com/other' }] } } } }
  assert.match((await failureOf(client.patch(path, image))).message, /spec.template: .*field is immutable/)
  const resumed = await client.patch(path, { spec: { suspend: false } })
  assert.equal((resumed.spec as { suspend: boolean }).suspend, false)
  const moved = { spec: { template: { spec: { nodeSelector: { zone: 'b' } } } } }
  assert.match((await failureOf(client.patch(path, moved))).message, /field is immutable/)
})
