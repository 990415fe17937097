import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_AGENT_FEATURES, EMBEDDED_AGENT_FEATURES, parseAgentFeatureGates } from './features.js'

test('parseAgentFeatureGates: sets registration and work gates over the defaults', () => {
  assert.deepEqual(parseAgentFeatureGates(''), DEFAULT_AGENT_FEATURES)
  assert.deepEqual(parseAgentFeatureGates('RawFeedbackJsonString=true,ClusterProperty=true,ClusterClaim=false'), {
    ...DEFAULT_AGENT_FEATURES,
    RawFeedbackJsonString: true,
    ClusterProperty: true,
    ClusterClaim: false,
  })
})

test('parseAgentFeatureGates: sets gates over the defaults of an embedded cluster', () => {
  assert.equal(DEFAULT_AGENT_FEATURES.ClusterScores, false)
  assert.equal(parseAgentFeatureGates('', EMBEDDED_AGENT_FEATURES).ClusterScores, true)
  assert.equal(parseAgentFeatureGates('ClusterScores=false', EMBEDDED_AGENT_FEATURES).ClusterScores, false)
})

test('parseAgentFeatureGates: accepts fixed gates only with their fixed value', () => {
  assert.deepEqual(parseAgentFeatureGates('AddonManagement=true'), DEFAULT_AGENT_FEATURES)
  assert.throws(() => parseAgentFeatureGates('AddonManagement=false'), /AddonManagement cannot be set to false/)
})

test('parseAgentFeatureGates: rejects a gate of the hub and lists the known ones', () => {
  assert.throws(
    () => parseAgentFeatureGates('DefaultClusterSet=true'),
    /unknown feature gate "DefaultClusterSet": use one of AddonManagement, ClusterClaim,/,
  )
})
