import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDNS1123Label } from '@orrery/kinds/values'
import fc from 'fast-check'
import { agentSubject, managedNamespaceLabel, namesInSubject, randomAgentName, randomClusterName } from './names.js'

const name = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/)

test('the names of an agent can be read back from its subject', () => {
  fc.assert(
    fc.property(name, name, (clusterName, agentName) => {
      const names = { clusterName, agentName }
      assert.deepEqual(namesInSubject(agentSubject(names).commonName), names)
    }),
  )
})

test('what is no subject of an agent has no names', () => {
  for (const subject of [
    '',
    'admin',
    'system:open-cluster-management:c1',
    'system:open-cluster-management:c1:',
    'system:open-cluster-management::a1',
    'system:open-cluster-management:c1:addon:x',
  ]) {
    assert.equal(namesInSubject(subject), undefined, subject)
  }
})

test('names by chance are valid', () => {
  assert.deepEqual(isDNS1123Label(randomClusterName()), [])
  assert.match(randomAgentName(), /^[bcdfghjklmnpqrstvwxz2456789]{5}$/)
})

test('the label of managed namespaces is the hash of the hub, cut to fit', () => {
  const label = 'clusterset.open-cluster-management.io/'
  assert.equal(managedNamespaceLabel('https://hub.example:6443').length, label.length + 63)
})
