import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KubeClient } from '@orrery/kube'
import { type AgentOptions, resolveAgentOptions } from './options.js'

const spoke = new KubeClient({ request: () => Promise.reject(new Error('this transport is never used')) })
const parts = [{ name: 'work' }]
const resolve = (options: Partial<AgentOptions>) => resolveAgentOptions({ spoke, ...options }, parts)

test('resolveAgentOptions: has the defaults of Open Cluster Management', () => {
  const options = resolve({})
  assert.equal(options.namespace, 'open-cluster-management-agent')
  assert.deepEqual(options.bootstrapSecrets, ['bootstrap-hub-kubeconfig'])
  assert.equal(options.hubSecret, 'hub-kubeconfig-secret')
  assert.equal(options.healthCheckPeriod, 60_000)
  assert.equal(options.maxCustomClaims, 20)
  assert.equal(options.hubTimeout, 600_000)
  assert.deepEqual(
    [options.features.ClusterClaim, options.features.ClusterProperty, options.features.MultipleHubs],
    [true, false, false],
  )
  assert.equal(options.parts, parts)
  assert.deepEqual(resolve({ parts: [] }).parts, [])
})

test('resolveAgentOptions: names a Secret for each bootstrap kubeconfig', () => {
  const several = resolve({ bootstrap: { kubeconfigs: ['a', 'b'] }, features: { MultipleHubs: true } })
  assert.deepEqual(several.bootstrapSecrets, ['bootstrap-hub-kubeconfig', 'bootstrap-hub-kubeconfig-2'])
})

test('resolveAgentOptions: rejects options that are not valid', () => {
  const refused: readonly [Partial<AgentOptions>, RegExp][] = [
    [{ clusterName: 'No Name' }, /clusterName "No Name" is not valid/],
    [{ certificateSeconds: 3_599 }, /at least 3600/],
    [{ healthCheckPeriod: 0 }, /greater than 0/],
    [{ externalServerUrls: ['http://c1'] }, /"http:\/\/c1" is not a URL that begins with https/],
    [{ bootstrap: { kubeconfigs: [] } }, /has no kubeconfig/],
    [{ bootstrap: { kubeconfigs: ['a', 'b'] } }, /MultipleHubs/],
    [{ features: { MultipleHubs: true } }, /at least 2/],
  ]
  for (const [options, message] of refused) assert.throws(() => resolve(options), message)
})

test('resolveAgentOptions: keeps only cluster annotations with the prefix for agents', () => {
  const clusterAnnotations = { 'agent.open-cluster-management.io/a': '1', b: '2' }
  assert.deepEqual(resolve({ clusterAnnotations }).clusterAnnotations, { 'agent.open-cluster-management.io/a': '1' })
})
