import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KubeClient } from '@orrery/kube'
import { type AgentOptions, resolveAgentOptions } from './options.js'

const spoke = new KubeClient({ request: () => Promise.reject(new Error('nobody is there')) })
const parts = [{ name: 'work' }]
const resolve = (options: Partial<AgentOptions>) => resolveAgentOptions({ spoke, ...options }, parts)

test('an agent has the defaults of Open Cluster Management', () => {
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

test('kubeconfigs that are handed over get Secrets of their own', () => {
  const several = resolve({ bootstrap: { kubeconfigs: ['a', 'b'] }, features: { MultipleHubs: true } })
  assert.deepEqual(several.bootstrapSecrets, ['bootstrap-hub-kubeconfig', 'bootstrap-hub-kubeconfig-2'])
})

test('what cannot work is refused at the door', () => {
  const refused: readonly [Partial<AgentOptions>, RegExp][] = [
    [{ clusterName: 'No Name' }, /"No Name" cannot name a cluster/],
    [{ certificateSeconds: 3_599 }, /at least 3600/],
    [{ healthCheckPeriod: 0 }, /above 0/],
    [{ externalServerUrls: ['http://c1'] }, /"http:\/\/c1" is not a URL that begins with https/],
    [{ bootstrap: { kubeconfigs: [] } }, /names no hub/],
    [{ bootstrap: { kubeconfigs: ['a', 'b'] } }, /MultipleHubs/],
    [{ features: { MultipleHubs: true } }, /at least 2/],
  ]
  for (const [options, message] of refused) assert.throws(() => resolve(options), message)
})

test('only annotations that are meant for agents go to the hub', () => {
  const clusterAnnotations = { 'agent.open-cluster-management.io/a': '1', b: '2' }
  assert.deepEqual(resolve({ clusterAnnotations }).clusterAnnotations, { 'agent.open-cluster-management.io/a': '1' })
})
