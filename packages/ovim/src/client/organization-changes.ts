import { findCondition, isConflict } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { Organization, type OrganizationSpec } from '../kinds/organization.js'
import type { Explanation } from './explanation.js'
import { type FollowOptions, follow } from './following.js'
import { organizationNotFound } from './organizations.js'

const TRIES = 5

/** Changes the specification of an organization: again if somebody else changes it at the same time. */
export async function changeOrganization(
  client: KubeClient,
  name: string,
  change: (spec: OrganizationSpec) => OrganizationSpec,
): Promise<Organization> {
  for (let tries = 1; ; tries++) {
    const found = await client.find(Organization, { name })
    if (found === undefined) throw new Error(organizationNotFound(name))
    try {
      return await client.update(Organization, { ...found, spec: change(found.spec) }, { fieldValidation: 'Strict' })
    } catch (error) {
      if (!isConflict(error) || tries >= TRIES) throw error
    }
  }
}

/** Waits until the members of an organization have access, or will not have. */
export function whenOrganizationSettled(
  client: KubeClient,
  name: string,
  options: FollowOptions,
): Promise<Explanation> {
  return follow(
    client,
    Organization,
    { name },
    (organization) => {
      if (organization === undefined) return { explanation: { state: 'refused', text: 'was deleted' }, isOver: true }
      const explanation = explainOrganization(organization)
      return { explanation, isOver: explanation.state !== 'in-progress' }
    },
    options,
  )
}

/** Waits until an organization is gone. */
export function whenOrganizationGone(client: KubeClient, name: string, options: FollowOptions): Promise<Explanation> {
  return follow(
    client,
    Organization,
    { name },
    (organization) =>
      organization === undefined
        ? { explanation: { state: 'as-requested', text: 'is deleted' }, isOver: true }
        : { explanation: explainOrganization(organization), isOver: false },
    options,
  )
}

function explainOrganization({ metadata, status = {} }: Organization): Explanation {
  const ready = findCondition(status.conditions, 'Ready')
  if (metadata.deletionTimestamp !== undefined) {
    return { state: 'waiting', text: `is being deleted${status.phase === 'Terminating' ? `: ${ready?.message}` : ''}` }
  }
  if (ready === undefined || status.observedGeneration !== metadata.generation) {
    return { state: 'in-progress', text: 'is not handled yet' }
  }
  if (ready.status !== 'True') return { state: 'refused', text: ready.message }
  return { state: 'as-requested', text: status.phase === 'Disabled' ? 'is disabled' : `is active: ${ready.message}` }
}
