import type { Draft } from '@orrery/kinds'
import type { NetworkPolicy, NetworkPolicyEgressRule, NetworkPolicyPeer } from '@orrery/kinds/networking'
import type { VdcCreateRequest } from '../../wire/index.js'

const ISOLATION_POLICY = 'vdc-isolation-policy'
const CUSTOM_POLICY = 'vdc-custom-policy'
/** Every policy that a data center can have: those it does not want are deleted. */
export const POLICY_NAMES = [ISOLATION_POLICY, CUSTOM_POLICY] as const

/** The label that every namespace has. */
const NAME_LABEL = 'kubernetes.io/metadata.name'
/** OpenShift labels the namespaces of its routers and its monitoring with it. */
const OPENSHIFT_GROUP_LABEL = 'network.openshift.io/policy-group'

const SAME_NAMESPACE: NetworkPolicyPeer = { podSelector: {} }
const DNS: NetworkPolicyEgressRule = {
  to: [namespaces('kube-system', 'openshift-dns')],
  ports: [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
    { protocol: 'UDP', port: 5353 },
    { protocol: 'TCP', port: 5353 },
  ],
}
const HTTPS: NetworkPolicyEgressRule = { ports: [{ protocol: 'TCP', port: 443 }] }

type Spec = NonNullable<NetworkPolicy['spec']>

/**
 * The policies of a data center.
 *
 * | `network_policy` | ingress                                          | egress                          |
 * |------------------|--------------------------------------------------|---------------------------------|
 * | `default`        | the data center, kube-system, ovim-system, OpenShift | the data center, DNS, HTTPS |
 * | `isolated`       | the data center                                  | the data center, DNS            |
 * | `custom`         | as `custom_network_config` says                  | as `custom_network_config` says |
 */
export function networkPoliciesOf(request: VdcCreateRequest, agentNamespace: string): Draft<NetworkPolicy>[] {
  const policy = (name: string, spec: Spec): Draft<NetworkPolicy> => ({
    metadata: { namespace: request.target_namespace, name },
    spec,
  })
  switch (request.network_policy) {
    case 'default':
      return [policy(ISOLATION_POLICY, defaultSpec(agentNamespace))]
    case 'isolated':
      return [policy(ISOLATION_POLICY, isolatedSpec())]
    case 'custom':
      return [policy(CUSTOM_POLICY, customSpec(request, agentNamespace))]
  }
}

function defaultSpec(agentNamespace: string): Spec {
  const openShift: NetworkPolicyPeer = {
    namespaceSelector: { matchExpressions: [{ key: OPENSHIFT_GROUP_LABEL, operator: 'Exists' }] },
  }
  return {
    podSelector: {},
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [SAME_NAMESPACE, namespaces('kube-system', agentNamespace), openShift] }],
    egress: [{ to: [SAME_NAMESPACE] }, DNS, HTTPS],
  }
}

function isolatedSpec(): Spec {
  return {
    podSelector: {},
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [SAME_NAMESPACE] }],
    egress: [{ to: [SAME_NAMESPACE] }, DNS],
  }
}

/** `policy_type` is the base, `isolate` unless it is `allow-all`. `deny_all_*` removes a direction altogether. */
function customSpec({ custom_network_config: config = {} }: VdcCreateRequest, agentNamespace: string): Spec {
  const base = config.policy_type === 'allow-all' ? allowAllSpec() : defaultSpec(agentNamespace)
  return {
    ...base,
    ...(config.deny_all_ingress === true && { ingress: [] }),
    ...(config.deny_all_egress === true && { egress: [] }),
  }
}

function allowAllSpec(): Spec {
  return { podSelector: {}, policyTypes: ['Ingress', 'Egress'], ingress: [{}], egress: [{}] }
}

function namespaces(...names: string[]): NetworkPolicyPeer {
  return { namespaceSelector: { matchExpressions: [{ key: NAME_LABEL, operator: 'In', values: names }] } }
}
