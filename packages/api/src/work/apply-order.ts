/** Kinds in apply order. Kinds that others depend on come first. */
const RANKS: readonly (readonly string[])[] = [
  ['PriorityClass', 'Namespace', 'CustomResourceDefinition', 'StorageClass', 'PersistentVolume', 'PodSecurityPolicy'],
  ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  ['NetworkPolicy', 'ResourceQuota', 'LimitRange', 'PodDisruptionBudget', 'ServiceAccount'],
  ['Secret', 'ConfigMap', 'PersistentVolumeClaim'],
  ['Service'],
  [
    'DaemonSet',
    'Pod',
    'ReplicationController',
    'ReplicaSet',
    'Deployment',
    'HorizontalPodAutoscaler',
    'StatefulSet',
    'Job',
    'CronJob',
  ],
  [
    'APIService',
    'MutatingWebhookConfiguration',
    'ValidatingWebhookConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
  ],
]

const RANK_OF = new Map(RANKS.flatMap((kinds, rank) => kinds.map((kind) => [kind, rank] as const)))

/** The rank of all other kinds. */
const LAST_RANK = 1000

/** The rank of a kind. Lower ranks are applied first. */
export function applyRank(kind: string): number {
  return RANK_OF.get(kind) ?? LAST_RANK
}
