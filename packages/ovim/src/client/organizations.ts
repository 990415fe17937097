import { SelfSubjectRulesReview } from '@orrery/kinds'
import { isForbidden } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { OVIM_GROUP, organizationOf } from '../kinds/names.js'
import { Organization } from '../kinds/organization.js'

/** How a user selects an organization. */
export interface OrganizationChoice {
  /** The name that the user has given. */
  readonly name?: string | undefined
  /** The namespace of the user's kubeconfig. */
  readonly namespace?: string | undefined
}

/**
 * The organization of a command: the one that is named, else that of the namespace in the kubeconfig, else the only one of the user.
 * Throws an error that names the choices.
 */
export async function chooseOrganization(
  client: KubeClient,
  { name, namespace = '' }: OrganizationChoice,
): Promise<string> {
  if (name !== undefined) {
    await requireOrganization(client, name)
    return name
  }
  const ofNamespace = organizationOf(namespace)
  if (ofNamespace !== undefined) return ofNamespace
  const [own, ...others] = await ownOrganizations(client)
  if (own === undefined) {
    throw new Error(
      'you are not a member of an organization: ask an administrator to run `orrery org grant`, or create one with `orrery org create`',
    )
  }
  if (others.length > 0)
    throw new Error(`several organizations found: select one with --org: ${[own, ...others].join(', ')}`)
  return own
}

/** Listing the objects of an organization that does not exist would return nothing. */
async function requireOrganization(client: KubeClient, name: string): Promise<void> {
  try {
    if ((await client.find(Organization, { name })) !== undefined) return
  } catch (error) {
    if (!isForbidden(error)) throw error
    const own = await ownOrganizations(client)
    throw new Error(
      `you have no access to organization ${JSON.stringify(name)}: ${own.length === 0 ? 'you are a member of none' : `use ${own.join(', ')}`}, or ask an administrator`,
      { cause: error },
    )
  }
  throw new Error(organizationNotFound(name))
}

export function organizationNotFound(name: string): string {
  return `organization ${JSON.stringify(name)} not found: run \`orrery org list\` to list organizations`
}

/** The organizations that the user of a client may read, sorted by name. */
export async function ownOrganizations(client: KubeClient): Promise<string[]> {
  try {
    return (await client.list(Organization)).items.map(({ metadata }) => metadata.name).sort()
  } catch (error) {
    if (!isForbidden(error)) throw error
    return memberships(client)
  }
}

/** Members may read their own organizations but not list them: their rules have the names. */
async function memberships(client: KubeClient): Promise<string[]> {
  const review = await client.create(SelfSubjectRulesReview, {
    metadata: {},
    spec: { namespace: 'default' },
  } as never)
  const rules = review.status?.resourceRules ?? []
  const names = rules
    .filter(
      ({ apiGroups = [], resources = [], verbs }) =>
        apiGroups.includes(OVIM_GROUP) && resources.includes(Organization.plural) && verbs.includes('get'),
    )
    .flatMap(({ resourceNames = [] }) => resourceNames)
  return [...new Set(names)].sort()
}
