import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_HUB_FEATURES, EMBEDDED_HUB_FEATURES, parseFeatureGates } from './features.js'

test('feature gates are read on top of defaults', () => {
  assert.deepEqual(parseFeatureGates(''), DEFAULT_HUB_FEATURES)
  assert.deepEqual(parseFeatureGates('ManagedClusterAutoApproval=true, DefaultClusterSet=False,'), {
    ...DEFAULT_HUB_FEATURES,
    ManagedClusterAutoApproval: true,
    DefaultClusterSet: false,
  })
  assert.deepEqual(parseFeatureGates('ManifestWorkReplicaSet=false', EMBEDDED_HUB_FEATURES), {
    ...EMBEDDED_HUB_FEATURES,
    ManifestWorkReplicaSet: false,
  })
})

test('gates that do nothing here can be set to what they are', () => {
  assert.deepEqual(parseFeatureGates('ClusterImporter=false,AddonManagement=true'), DEFAULT_HUB_FEATURES)
  assert.throws(() => parseFeatureGates('ClusterImporter=true'), /ClusterImporter cannot be set to true/)
})

test('parseFeatureGates: rejects unknown gates with the known ones', () => {
  assert.throws(
    () => parseFeatureGates('AutoApproval=true'),
    /unknown feature gate "AutoApproval": use one of AddonManagement,/,
  )
  assert.throws(() => parseFeatureGates('__proto__=true'), /unknown feature gate "__proto__"/)
  assert.throws(() => parseFeatureGates('DefaultClusterSet'), /use NAME=true or NAME=false/)
  assert.throws(() => parseFeatureGates('DefaultClusterSet=yes'), /use NAME=true or NAME=false/)
})
