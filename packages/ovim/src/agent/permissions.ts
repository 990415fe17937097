/** Verbs that the agent may use on a resource. */
export interface Permission {
  readonly group: string
  readonly resource: string
  readonly subresource?: string
  readonly verbs: readonly string[]
  /** Only in the agent's own namespace. */
  readonly own?: boolean
}

const READ = ['get', 'list', 'watch']

/**
 * What the agent does on the cluster, and what it grants to the operators and viewers of data centers: Kubernetes allows nobody to grant
 * more than they have. The ClusterRole of the deployment is made of it.
 */
export const PERMISSIONS: readonly Permission[] = [
  { group: 'kubevirt.io', resource: 'virtualmachines', verbs: ['*'] },
  { group: 'kubevirt.io', resource: 'virtualmachineinstances', verbs: ['*'] },
  ...['start', 'stop', 'restart'].map((subresource) => ({
    group: 'subresources.kubevirt.io',
    resource: 'virtualmachines',
    subresource,
    verbs: ['update'],
  })),
  ...['pause', 'unpause'].map((subresource) => ({
    group: 'subresources.kubevirt.io',
    resource: 'virtualmachineinstances',
    subresource,
    verbs: ['update'],
  })),
  { group: 'cdi.kubevirt.io', resource: 'datavolumes', verbs: ['*'] },
  { group: '', resource: 'namespaces', verbs: [...READ, 'create', 'patch', 'delete'] },
  { group: '', resource: 'resourcequotas', verbs: [...READ, 'create', 'patch'] },
  { group: '', resource: 'limitranges', verbs: [...READ, 'create', 'patch', 'delete'] },
  { group: '', resource: 'serviceaccounts', verbs: ['create', 'patch'] },
  { group: '', resource: 'secrets', verbs: ['list', 'create', 'patch', 'delete'] },
  { group: '', resource: 'nodes', verbs: READ },
  { group: '', resource: 'pods', verbs: READ },
  { group: '', resource: 'persistentvolumeclaims', verbs: READ },
  { group: '', resource: 'events', verbs: READ },
  { group: 'events.k8s.io', resource: 'events', verbs: ['create', 'patch'] },
  { group: '', resource: 'configmaps', verbs: ['get', 'list', 'create', 'patch', 'delete'], own: true },
  { group: 'rbac.authorization.k8s.io', resource: 'roles', verbs: ['create', 'patch', 'delete'] },
  { group: 'rbac.authorization.k8s.io', resource: 'rolebindings', verbs: ['create', 'patch', 'delete'] },
  { group: 'networking.k8s.io', resource: 'networkpolicies', verbs: ['create', 'patch', 'delete'] },
  { group: 'storage.k8s.io', resource: 'storageclasses', verbs: ['list'] },
  { group: 'metrics.k8s.io', resource: 'nodes', verbs: ['get', 'list'] },
  { group: 'metrics.k8s.io', resource: 'pods', verbs: ['get', 'list'] },
  // The local API reviews the tokens of those who read metrics.
  { group: 'authentication.k8s.io', resource: 'tokenreviews', verbs: ['create'] },
  { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verbs: ['create'] },
]
