import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_AGENT_FEATURES, parseAgentFeatureGates } from './features.js'

test('the gates of registration and of works are read on top of defaults', () => {
  assert.deepEqual(parseAgentFeatureGates(''), DEFAULT_AGENT_FEATURES)
  assert.deepEqual(parseAgentFeatureGates('RawFeedbackJsonString=true,ClusterProperty=true,ClusterClaim=false'), {
    ...DEFAULT_AGENT_FEATURES,
    RawFeedbackJsonString: true,
    ClusterProperty: true,
    ClusterClaim: false,
  })
})

test('gates that do nothing here can be set to what they are', () => {
  assert.deepEqual(parseAgentFeatureGates('AddonManagement=true'), DEFAULT_AGENT_FEATURES)
  assert.throws(() => parseAgentFeatureGates('AddonManagement=false'), /AddonManagement cannot be set to false/)
})

test('a gate of the hub is refused with what there is', () => {
  assert.throws(
    () => parseAgentFeatureGates('DefaultClusterSet=true'),
    /unknown feature gate "DefaultClusterSet": use one of AddonManagement, ClusterClaim,/,
  )
})
