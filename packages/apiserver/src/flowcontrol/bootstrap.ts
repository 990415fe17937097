import type {
  FlowSubject,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  PriorityLevelConfigurationSpec,
  ResourcePolicyRule,
} from '@orrery/kinds/flowcontrol'
import { type FlowSchema, GROUP, type PriorityLevelConfiguration } from './types.js'

/** Whether the server keeps the spec of an object up to date. */
export const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec'

const API_VERSION = `${GROUP}/v1`

function level(name: string, spec: PriorityLevelConfigurationSpec): PriorityLevelConfiguration {
  const metadata = { name, annotations: { [AUTO_UPDATE]: 'true' } }
  return { apiVersion: API_VERSION, kind: 'PriorityLevelConfiguration', metadata, spec }
}

function queued(name: string, shares: number, lendablePercent: number, queues: number, handSize = 6) {
  const queuing = { queues, handSize, queueLengthLimit: 50 }
  return level(name, {
    type: 'Limited',
    limited: { nominalConcurrencyShares: shares, lendablePercent, limitResponse: { type: 'Queue', queuing } },
  })
}

function schema(
  name: string,
  levelName: string,
  matchingPrecedence: number,
  distinguisher: '' | 'ByUser' | 'ByNamespace',
  rules: PolicyRulesWithSubjects,
): FlowSchema {
  return {
    apiVersion: API_VERSION,
    kind: 'FlowSchema',
    metadata: { name, annotations: { [AUTO_UPDATE]: 'true' } },
    spec: {
      priorityLevelConfiguration: { name: levelName },
      matchingPrecedence,
      ...(distinguisher !== '' && { distinguisherMethod: { type: distinguisher } }),
      rules: [rules],
    },
  }
}

const groups = (...names: string[]): FlowSubject[] => names.map((name) => ({ kind: 'Group', group: { name } }))
const users = (...names: string[]): FlowSubject[] => names.map((name) => ({ kind: 'User', user: { name } }))
const KUBE_SYSTEM: FlowSubject = { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } }
const EVERYBODY = groups('system:unauthenticated', 'system:authenticated')
const ANY_RESOURCE: ResourcePolicyRule = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
}
const ANY_PATH: NonResourcePolicyRule = { verbs: ['*'], nonResourceURLs: ['*'] }
const everything = (subjects: FlowSubject[]): PolicyRulesWithSubjects => ({
  subjects,
  resourceRules: [ANY_RESOURCE],
  nonResourceRules: [ANY_PATH],
})
const leases = (verbs: string[]): ResourcePolicyRule => ({
  verbs,
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  namespaces: ['*'],
})

/** Mandatory priority levels: they always exist with this spec, so that every request has a level. */
export const MANDATORY_LEVELS: readonly PriorityLevelConfiguration[] = [
  level('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  level('catch-all', {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
  }),
]

export const MANDATORY_SCHEMAS: readonly FlowSchema[] = [
  schema('exempt', 'exempt', 1, '', everything(groups('system:masters'))),
  schema('catch-all', 'catch-all', 10_000, 'ByUser', everything(EVERYBODY)),
]

/** The suggested configuration of kube-apiserver: kept up to date unless an administrator disables that. */
export const SUGGESTED_LEVELS: readonly PriorityLevelConfiguration[] = [
  queued('system', 30, 33, 64),
  queued('node-high', 40, 25, 64),
  queued('leader-election', 10, 0, 16, 4),
  queued('workload-high', 40, 50, 128),
  queued('workload-low', 100, 90, 128),
  queued('global-default', 20, 50, 128),
]

export const SUGGESTED_SCHEMAS: readonly FlowSchema[] = [
  schema('probes', 'exempt', 2, '', {
    subjects: EVERYBODY,
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  }),
  schema('system-leader-election', 'leader-election', 100, 'ByUser', {
    subjects: [...users('system:kube-controller-manager', 'system:kube-scheduler'), KUBE_SYSTEM],
    resourceRules: [leases(['get', 'create', 'update'])],
  }),
  schema('system-node-high', 'node-high', 400, 'ByUser', {
    subjects: groups('system:nodes'),
    resourceRules: [
      { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
      leases(['*']),
    ],
  }),
  schema('system-nodes', 'system', 500, 'ByUser', everything(groups('system:nodes'))),
  schema(
    'kube-controller-manager',
    'workload-high',
    800,
    'ByNamespace',
    everything(users('system:kube-controller-manager')),
  ),
  schema('kube-scheduler', 'workload-high', 800, 'ByNamespace', everything(users('system:kube-scheduler'))),
  schema('kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', everything([KUBE_SYSTEM])),
  schema('service-accounts', 'workload-low', 9000, 'ByUser', everything(groups('system:serviceaccounts'))),
  schema('global-default', 'global-default', 9900, 'ByUser', everything(EVERYBODY)),
]
