/** Kinds in the order in which agents apply them: what others need comes first. */
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

/** For kinds that nobody is known to need. */
const LAST_RANK = 1000

/** When a kind is applied: before all of higher rank. */
export function applyRank(kind: string): number {
  return RANK_OF.get(kind) ?? LAST_RANK
}
