import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedClusterAddOn } from '@orrery/api'
import { agentSubject } from '../identity.js'
import { SubjectNotReady } from './subject-not-ready.js'
import { registeredSubjects } from './subjects.js'

const { user, groups } = agentSubject('c1', 'a')
const [ofCluster, ofAllClusters] = groups

function addon(subject?: { user?: string; groups?: string[] }): ManagedClusterAddOn {
  const metadata = { namespace: 'c1', name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '' }
  const registrations = [
    { type: 'customSigner', customSigner: { signerName: 'example.com/s', subject: { user: 'signer' } } },
    { type: 'kubeClient', kubeClient: { ...(subject && { subject }) } },
  ]
  return { apiVersion: '', kind: '', metadata, spec: {}, status: { registrations } } as ManagedClusterAddOn
}

const names = (...args: Parameters<typeof registeredSubjects>) =>
  registeredSubjects(...args).map(({ kind, name }) => `${kind} ${name}`)

test('registeredSubjects: the namespace of a cluster is for its own agent only', () => {
  const registered = addon({ user, groups: [...groups, 'system:authenticated'] })
  assert.deepEqual(names(registered, 'cluster'), [`User ${user}`, `Group ${ofCluster}`])
  assert.deepEqual(names(registered, 'shared'), [`User ${user}`, `Group ${ofCluster}`, `Group ${ofAllClusters}`])
})

test('registeredSubjects: a group of all clusters that is configured alone is kept', () => {
  assert.deepEqual(names(addon({ groups: [ofAllClusters] }), 'cluster'), [`Group ${ofAllClusters}`])
})

test('registeredSubjects: throws SubjectNotReady without a subject', () => {
  for (const subject of [undefined, {}, { user: '' }, { groups: ['system:authenticated'] }]) {
    assert.throws(() => registeredSubjects(addon(subject), 'cluster'), SubjectNotReady)
  }
  assert.equal(new SubjectNotReady().message, 'registration subject not ready')
})
