import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import type { VdcCreateRequest } from '../../wire/index.js'
import { networkPoliciesOf } from './network-policies.js'

function policyOf(network_policy: VdcCreateRequest['network_policy'], custom_network_config: JsonObject = {}) {
  const request = {
    vdc_name: 'dev',
    vdc_namespace: 'org-acme',
    target_namespace: 'vdc-acme-dev',
    organization: 'acme',
    quota: {},
    network_policy,
    custom_network_config,
  }
  const [policy, ...others] = networkPoliciesOf(request, 'ovim-system')
  assert.deepEqual(others, [])
  return policy
}

const ports = (policy: ReturnType<typeof policyOf>) =>
  policy?.spec?.egress?.flatMap((rule) => (rule.ports ?? []).map(({ protocol, port }) => `${protocol}/${port}`))

test('network policy: default allows the data center, the system, DNS and HTTPS', () => {
  const policy = policyOf('default')
  assert.equal(policy?.metadata.name, 'vdc-isolation-policy')
  assert.equal(policy?.spec?.ingress?.[0]?.from?.length, 3)
  assert.deepEqual(ports(policy), ['UDP/53', 'TCP/53', 'UDP/5353', 'TCP/5353', 'TCP/443'])
})

test('network policy: isolated allows only the data center and DNS', () => {
  const policy = policyOf('isolated')
  assert.deepEqual(policy?.spec?.ingress, [{ from: [{ podSelector: {} }] }])
  assert.deepEqual(ports(policy), ['UDP/53', 'TCP/53', 'UDP/5353', 'TCP/5353'])
})

test('network policy: custom starts from isolate or allow-all, and can deny a direction', () => {
  assert.equal(policyOf('custom')?.metadata.name, 'vdc-custom-policy')
  assert.deepEqual(policyOf('custom')?.spec, policyOf('default')?.spec)
  assert.deepEqual(policyOf('custom', { policy_type: 'allow-all' })?.spec?.ingress, [{}])
  const denied = policyOf('custom', { deny_all_ingress: true, deny_all_egress: true })
  assert.deepEqual([denied?.spec?.ingress, denied?.spec?.egress], [[], []])
  assert.deepEqual(denied?.spec?.policyTypes, ['Ingress', 'Egress'])
})
