import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDNS1123Label } from '@orrery/kinds/values'
import fc from 'fast-check'
import { agentSubject, managedNamespaceLabel, namesInSubject, randomAgentName, randomClusterName } from './names.js'

const name = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/)

test('namesInSubject: is the reverse of agentSubject', () => {
  fc.assert(
    fc.property(name, name, (clusterName, agentName) => {
      const names = { clusterName, agentName }
      assert.deepEqual(namesInSubject(agentSubject(names).commonName), names)
    }),
  )
})

test('namesInSubject: returns undefined for other subjects', () => {
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

test('random names: are valid', () => {
  assert.deepEqual(isDNS1123Label(randomClusterName()), [])
  assert.match(randomAgentName(), /^[bcdfghjklmnpqrstvwxz2456789]{5}$/)
})

test('managedNamespaceLabel: is the hash of the hub, shortened to fit', () => {
  const label = 'clusterset.open-cluster-management.io/'
  assert.equal(managedNamespaceLabel('https://hub.example:6443').length, label.length + 63)
})
