import { SelfSubjectAccessReview } from '@orrery/kinds/authorization'
import type { KubeClient } from '@orrery/kube/client'
import { ConfigError, type OvimAgentConfig } from './config/config.js'

interface Needed {
  readonly group: string
  readonly resource: string
  readonly subresource?: string
  readonly verbs: readonly string[]
  /** Only in the agent's own namespace. */
  readonly own?: boolean
}

/** What the agent does on the cluster. The ClusterRole of the deployment must allow all of it. */
export const PERMISSIONS: readonly Needed[] = [
  { group: 'kubevirt.io', resource: 'virtualmachines', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { group: 'kubevirt.io', resource: 'virtualmachineinstances', verbs: ['get', 'list', 'watch'] },
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
  { group: '', resource: 'namespaces', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { group: '', resource: 'resourcequotas', verbs: ['get', 'list', 'watch', 'create', 'patch'] },
  { group: '', resource: 'limitranges', verbs: ['create', 'patch', 'delete'] },
  { group: '', resource: 'serviceaccounts', verbs: ['create', 'patch'] },
  { group: '', resource: 'secrets', verbs: ['list', 'create', 'patch', 'delete'] },
  { group: '', resource: 'nodes', verbs: ['list'] },
  { group: '', resource: 'pods', verbs: ['list'] },
  { group: '', resource: 'persistentvolumeclaims', verbs: ['list'] },
  { group: '', resource: 'configmaps', verbs: ['get', 'list', 'create', 'patch', 'delete'], own: true },
  { group: 'rbac.authorization.k8s.io', resource: 'roles', verbs: ['create', 'patch', 'delete'] },
  { group: 'rbac.authorization.k8s.io', resource: 'rolebindings', verbs: ['create', 'patch', 'delete'] },
  { group: 'networking.k8s.io', resource: 'networkpolicies', verbs: ['create', 'patch', 'delete'] },
  { group: 'storage.k8s.io', resource: 'storageclasses', verbs: ['list'] },
]

/**
 * Checks that the cluster's API replies and that the agent has its permissions. Throws a `ConfigError` that names all that
 * are missing.
 */
export async function preflight(client: KubeClient, config: OvimAgentConfig, signal: AbortSignal): Promise<void> {
  try {
    await client.getJson('/version', { signal })
  } catch (error) {
    throw new ConfigError([
      `KUBECONFIG: the cluster's API does not reply: ${(error as Error).message}: check the kubeconfig or the service account`,
    ])
  }
  const missing = await Promise.all(PERMISSIONS.map((needed) => missingVerbs(client, needed, config.namespace, signal)))
  const problems = missing.flatMap(({ needed, verbs }) => {
    if (verbs.length === 0) return []
    const resource = [needed.resource, needed.subresource].filter(Boolean).join('/')
    const where = needed.own === true ? ` in namespace "${config.namespace}"` : ''
    const group = needed.group === '' ? '' : `.${needed.group}`
    return [`permission missing: ${verbs.join(', ')} of ${resource}${group}${where}: add it to the role of the agent`]
  })
  if (problems.length > 0) throw new ConfigError(problems)
}

async function missingVerbs(
  client: KubeClient,
  needed: Needed,
  namespace: string,
  signal: AbortSignal,
): Promise<{ needed: Needed; verbs: string[] }> {
  const allowed = await Promise.all(
    needed.verbs.map(async (verb) => {
      const { group, resource, subresource } = needed
      const resourceAttributes = {
        group,
        resource,
        verb,
        ...(subresource !== undefined && { subresource }),
        ...(needed.own === true && { namespace }),
      }
      const review = await client.create(
        SelfSubjectAccessReview,
        { metadata: {}, spec: { resourceAttributes } },
        { signal },
      )
      return review.status?.allowed === true
    }),
  )
  return { needed, verbs: needed.verbs.filter((_, index) => allowed[index] !== true) }
}
