import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentSubject } from './identity.js'

test('agentSubject: is the identity that Open Cluster Management gives to the agent of an add-on', () => {
  assert.deepEqual(agentSubject('cluster1', 'helloworld'), {
    user: 'system:open-cluster-management:cluster:cluster1:addon:helloworld:agent:helloworld',
    groups: [
      'system:open-cluster-management:cluster:cluster1:addon:helloworld',
      'system:open-cluster-management:addon:helloworld',
    ],
  })
  assert.match(agentSubject('cluster1', 'helloworld', 'x7k2p').user, /:agent:x7k2p$/)
})
