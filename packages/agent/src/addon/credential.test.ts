import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AddOnRegistration, ManagedClusterAddOn } from '@orrery/api'
import { credentialsOf } from './credential.js'

const KUBE = 'kubernetes.io/kube-apiserver-client'
const USER = 'system:open-cluster-management:cluster:c1:addon:hello:agent:hello'
const GROUP = 'system:open-cluster-management:cluster:c1:addon:hello'

function addon(
  registrations: AddOnRegistration[],
  more: { name?: string; namespace?: string; annotations?: object } = {},
) {
  const { name = 'hello', namespace, annotations } = more
  const status = { registrations, ...(namespace !== undefined && { namespace }) }
  return { metadata: { namespace: 'c1', name, annotations }, status } as unknown as ManagedClusterAddOn
}

test('credentialsOf: a kubeClient registration has the default subject of the add-on', () => {
  const [credential] = credentialsOf(addon([{ type: 'kubeClient' }]), 'c1', 'csr')
  assert.deepEqual(credential?.identity, {
    type: 'certificate',
    signerName: KUBE,
    commonName: USER,
    organizations: [GROUP],
    organizationalUnits: [],
  })
  assert.deepEqual(credential?.secret, {
    namespace: 'open-cluster-management-agent-addon',
    name: 'hello-hub-kubeconfig',
  })
})

test('credentialsOf: keeps the subject of the hub, and gives tokens to the token driver only', () => {
  const registration: AddOnRegistration = {
    type: 'kubeClient',
    kubeClient: { subject: { user: 'u', groups: ['a', 'b'] } },
  }
  const [certificate] = credentialsOf(addon([registration]), 'c1', 'csr')
  assert.ok(certificate?.identity.type === 'certificate')
  assert.equal(certificate.identity.commonName, 'u')
  assert.deepEqual(certificate.identity.organizations, ['a', 'b'])
  const [token] = credentialsOf(addon([registration]), 'c1', 'token')
  assert.deepEqual(token?.identity, { type: 'token' })
  assert.equal(token?.secret.name, 'hello-hub-kubeconfig')
})

test('credentialsOf: a custom signer has a Secret of its own, without default groups', () => {
  const registration: AddOnRegistration = {
    type: 'customSigner',
    customSigner: { signerName: 'example.com/my/signer', subject: { organizationUnits: ['unit'] } },
  }
  const [credential] = credentialsOf(addon([registration], { namespace: 'hello-ns' }), 'c1', 'token')
  assert.deepEqual(credential?.secret, { namespace: 'hello-ns', name: 'hello-example.com-my-signer-client-cert' })
  assert.deepEqual(credential?.identity, {
    type: 'certificate',
    signerName: 'example.com/my/signer',
    commonName: USER,
    organizations: [],
    organizationalUnits: ['unit'],
  })
})

test('credentialsOf: ignores registrations without a signer, and a second one for the same Secret', () => {
  assert.deepEqual(credentialsOf(addon([{ type: 'customSigner' }]), 'c1', 'csr'), [])
  assert.equal(credentialsOf(addon([{ type: 'kubeClient' }, { type: 'kubeClient' }]), 'c1', 'csr').length, 1)
})

test('credentialsOf: the namespace is the one of the status, else of the v1alpha1 annotation', () => {
  const annotations = { 'addon.open-cluster-management.io/v1alpha1-install-namespace': 'old-ns' }
  const namespaceOf = (namespace?: string) =>
    credentialsOf(addon([{ type: 'kubeClient' }], { annotations, ...(namespace && { namespace }) }), 'c1', 'csr')[0]
      ?.secret.namespace
  assert.equal(namespaceOf(), 'old-ns')
  assert.equal(namespaceOf('new-ns'), 'new-ns')
})

const badNames: readonly [what: string, Parameters<typeof addon>, RegExp][] = [
  [
    'a path as namespace',
    [[{ type: 'kubeClient' }], { namespace: '../kube-system' }],
    /the namespace "..\/kube-system"/,
  ],
  ['a name that is no label', [[{ type: 'kubeClient' }], { name: 'a'.repeat(64) }], /the name of the add-on/],
  [
    'a signer that is no part of a name',
    [[{ type: 'customSigner', customSigner: { signerName: 'example.com/..' } }]],
    /the name of the Secret/,
  ],
]
for (const [what, input, problem] of badNames) {
  test(`credentialsOf: reports ${what}`, () => {
    assert.match(credentialsOf(addon(...input), 'c1', 'csr')[0]?.problem ?? '', problem)
  })
}
