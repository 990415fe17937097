import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unauthorized } from '@orrery/kinds/values'
import { hostedClusterWork } from './hosted-cluster.js'
import { connect, messageOf, runJob } from './job.js'

test('hostedClusterWork: belongs to the consumer and reports the status of the HostedCluster', () => {
  const options = { clusterId: 'abc123', name: 'my-cluster', namespace: 'clusters', release: 'release:4.14' }
  const { metadata, spec } = hostedClusterWork('us-east-mgmt-01', options)
  assert.deepEqual([metadata.namespace, metadata.name], ['us-east-mgmt-01', 'hostedcluster-abc123'])
  const [config] = spec?.manifestConfigs ?? []
  assert.deepEqual(config?.resourceIdentifier.name, 'my-cluster')
  assert.deepEqual(config?.feedbackRules?.[0]?.jsonPaths, [{ name: 'status', path: '.status' }])
})

test('hyperfleet-adapter: names the variable that is missing', async () => {
  assert.throws(() => connect({}), /^Error: MAESTRO_API_URL is not set: the adapter framework provides it$/)
  const client = connect({ MAESTRO_API_URL: 'http://localhost:8000', MAESTRO_GRPC_URL: 'localhost:8090' })
  const missing = /MANAGEMENT_CLUSTER_CONSUMER is not set/
  await assert.rejects(runJob(client, {}, new AbortController().signal), missing)
  const waits = { MANAGEMENT_CLUSTER_CONSUMER: 'c1', WAIT_SECONDS: '1m' }
  await assert.rejects(
    runJob(client, waits, new AbortController().signal),
    /^Error: WAIT_SECONDS is "1m": set it to a number of seconds$/,
  )
  await client.close()
})

test('hyperfleet-adapter: asks for the authority of a certificate that is not trusted', () => {
  const error = new Error('maestro:8000: the certificate of the server is not signed by a trusted authority')
  assert.match(messageOf(error, {}), /trusted authority: set MAESTRO_CA_FILE to the certificate authority of Maestro$/)
})

test('hyperfleet-adapter: asks for a token if the server needs one', () => {
  const error = new Error('rejected', { cause: unauthorized('no token') })
  assert.match(
    messageOf(error, { MAESTRO_API_URL: 'https://maestro:8000' }),
    /^rejected: set MAESTRO_TOKEN_FILE to a file/,
  )
  const given = { MAESTRO_API_URL: 'https://maestro:8000', MAESTRO_TOKEN_FILE: 'token' }
  assert.equal(messageOf(error, given), 'rejected')
  assert.equal(messageOf(new Error('other'), { MAESTRO_API_URL: 'https://maestro:8000' }), 'other')
  const plain = {
    MAESTRO_API_URL: 'http://maestro:8000',
    MAESTRO_GRPC_URL: 'maestro:8090',
    MAESTRO_TOKEN_FILE: 'token',
  }
  assert.throws(() => connect(plain), /MAESTRO_TOKEN_FILE needs a MAESTRO_API_URL that begins with https/)
})
