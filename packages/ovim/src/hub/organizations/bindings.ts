import { ClusterRole, type Subject } from '@orrery/kinds'
import { MANAGED_BY_LABEL, ORGANIZATION_LABEL, SYSTEM_NAMESPACE } from '../../kinds/names.js'
import type { Organization, OrganizationSubject } from '../../kinds/organization.js'
import { organizationNamespace } from '../../wire/vdc-payloads.js'
import { CATALOG_READER_ROLE, ORG_ADMIN_ROLE, ORG_USER_ROLE, ORG_VIEWER_ROLE } from './roles.js'

/** A RoleBinding that an organization should have, or should not have if it has no subjects. */
export interface WantedBinding {
  readonly namespace: string
  readonly name: string
  readonly role: string
  readonly subjects: readonly Subject[]
}

export function ownLabels(organization: string): Record<string, string> {
  return { [MANAGED_BY_LABEL]: 'ovim', [ORGANIZATION_LABEL]: organization }
}

/** The RoleBindings of an organization. If it is disabled, its admins can read and its users have no access. */
export function bindingsOf({ metadata: { name }, spec }: Organization): WantedBinding[] {
  const { admins = [], users = [], isEnabled } = spec
  const namespace = organizationNamespace(name)
  const [admin, user] = [admins.map(subjectOf), users.map(subjectOf)]
  return [
    { namespace, name: ORG_ADMIN_ROLE, role: ORG_ADMIN_ROLE, subjects: isEnabled ? admin : [] },
    { namespace, name: ORG_USER_ROLE, role: ORG_USER_ROLE, subjects: isEnabled ? user : [] },
    { namespace, name: ORG_VIEWER_ROLE, role: ORG_VIEWER_ROLE, subjects: isEnabled ? [] : admin },
    {
      namespace: SYSTEM_NAMESPACE,
      name: memberRoleName(name),
      role: CATALOG_READER_ROLE,
      subjects: membersOf({ admins, users: isEnabled ? users : [] }),
    },
  ]
}

/** The ClusterRole, and the binding, of what members may read outside the namespace. */
export function memberRoleName(organization: string): string {
  return `ovim:org:${organization}`
}

export function membersOf({
  admins = [],
  users = [],
}: Partial<Pick<Organization['spec'], 'admins' | 'users'>>): Subject[] {
  const subjects = [...admins, ...users].map(subjectOf)
  return [...new Map(subjects.map((subject) => [JSON.stringify(subject), subject])).values()]
}

function subjectOf({ kind, name, namespace }: OrganizationSubject): Subject {
  return kind === 'ServiceAccount'
    ? { kind, name, ...(namespace !== undefined && { namespace }) }
    : { kind, name, apiGroup: ClusterRole.group }
}
