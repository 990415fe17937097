import { SelfSubjectAccessReview } from '@orrery/kinds/authorization'
import type { KubeClient } from '@orrery/kube/client'
import { ConfigError, type OvimAgentConfig } from './config/config.js'
import { PERMISSIONS, type Permission } from './permissions.js'

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
  needed: Permission,
  namespace: string,
  signal: AbortSignal,
): Promise<{ needed: Permission; verbs: string[] }> {
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
