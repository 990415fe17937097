import { ClusterRole, ClusterRoleBinding, Namespace, RoleBinding } from '@orrery/kinds'
import { setConditions } from '@orrery/kinds/values'
import {
  addFinalizer,
  type ControllerSpec,
  each,
  ensure,
  hasFinalizer,
  isBeingDeleted,
  type KubeClient,
  removeFinalizer,
  writeStatus,
} from '@orrery/kube'
import type { ManagerContext } from '@orrery/kube/manager'
import { ORGANIZATION_FINALIZER, ORGANIZATION_LABEL, organizationOf, SYSTEM_NAMESPACE } from '../../kinds/names.js'
import { Organization, type OrganizationStatus } from '../../kinds/organization.js'
import { Template } from '../../kinds/template.js'
import { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import { organizationNamespace } from '../../wire/vdc-payloads.js'
import { bindingsOf, memberRoleName, membersOf, ownLabels } from './bindings.js'
import { memberRules } from './roles.js'

const ROLE_GROUP = ClusterRole.group

/** Gives organizations their namespace, and their members access to it. */
export function organizationController({ informers, clock }: ManagerContext): ControllerSpec {
  const selection = { labelSelector: ORGANIZATION_LABEL }
  const organizations = informers.of(Organization)
  const namespaces = informers.of(Namespace)
  const bindings = informers.of(RoleBinding, selection)
  const memberRoles = informers.of(ClusterRole, selection)
  const memberBindings = informers.of(ClusterRoleBinding, selection)
  const vdcs = informers.of(VirtualDataCenter)
  const machines = informers.of(VirtualMachineRequest)
  const templates = informers.of(Template)

  const ofLabel = ({ metadata }: { metadata: { labels?: Readonly<Record<string, string>> } }) => {
    const name = metadata.labels?.[ORGANIZATION_LABEL]
    return name === undefined ? undefined : { name }
  }
  const ofNamespace = ({ metadata }: { metadata: { namespace: string } }) => {
    const name = organizationOf(metadata.namespace)
    return name === undefined ? undefined : { name }
  }
  const isCounted = { when: ({ type }: { type: string }) => type !== 'updated' }

  const write = (
    client: KubeClient,
    organization: Organization,
    phase: NonNullable<OrganizationStatus['phase']>,
    reason: string,
    message: string,
  ) => {
    const namespace = organizationNamespace(organization.metadata.name)
    return writeStatus(client, Organization, organization, ({ status = {}, metadata }) => ({
      ...status,
      namespace,
      phase,
      counts: {
        vdcs: vdcs.list(namespace).length,
        vms: machines.list(namespace).length,
        templates: templates.list(namespace).length,
      },
      observedGeneration: metadata.generation ?? 0,
      conditions: setConditions(
        status.conditions,
        [{ type: 'Ready', status: phase === 'Active' || phase === 'Disabled' ? 'True' : 'False', reason, message }],
        clock.now(),
      ),
    }))
  }

  /** Members lose their access when the organization is gone, not before: they may watch its end. */
  const remove = async (client: KubeClient, organization: Organization) => {
    const { name } = organization.metadata
    const namespace = organizationNamespace(name)
    if (!hasFinalizer(organization, ORGANIZATION_FINALIZER)) return
    const [vdcCount, vmCount] = [vdcs.list(namespace).length, machines.list(namespace).length]
    if (vdcCount + vmCount > 0) {
      const message = `has ${vdcCount} virtual data centers and ${vmCount} virtual machines: delete them first`
      await write(client, organization, 'Terminating', 'NotEmpty', message)
      return
    }
    const held = namespaces.get({ name: namespace })
    if (held?.metadata.labels?.[ORGANIZATION_LABEL] === name) await client.ensureDeleted(Namespace, { name: namespace })
    await client.ensureDeleted(RoleBinding, { namespace: SYSTEM_NAMESPACE, name: memberRoleName(name) })
    await client.ensureDeleted(ClusterRoleBinding, { name: memberRoleName(name) })
    await client.ensureDeleted(ClusterRole, { name: memberRoleName(name) })
    await removeFinalizer(client, Organization, organization, ORGANIZATION_FINALIZER)
  }

  const grantAccess = async (client: KubeClient, organization: Organization) => {
    const { name } = organization.metadata
    const labels = ownLabels(name)
    for (const { namespace, name: binding, role, subjects } of bindingsOf(organization)) {
      const ref = { namespace, name: binding }
      if (subjects.length === 0) {
        if (bindings.get(ref) !== undefined) await client.ensureDeleted(RoleBinding, ref)
        continue
      }
      const roleRef = { apiGroup: ROLE_GROUP, kind: 'ClusterRole', name: role }
      const wanted = { metadata: { ...ref, labels }, roleRef, subjects: [...subjects] }
      await ensure(client, RoleBinding, wanted, bindings.get(ref))
    }
    const ref = { name: memberRoleName(name) }
    const rules = memberRules(name)
    await ensure(client, ClusterRole, { metadata: { ...ref, labels }, rules }, memberRoles.get(ref))
    const { admins, users, isEnabled } = organization.spec
    const subjects = membersOf({ ...(admins && { admins }), ...(users && isEnabled && { users }) })
    const roleRef = { apiGroup: ROLE_GROUP, kind: 'ClusterRole', ...ref }
    await ensure(
      client,
      ClusterRoleBinding,
      { metadata: { ...ref, labels }, roleRef, subjects },
      memberBindings.get(ref),
    )
  }

  return {
    name: 'ovim-organization',
    wakes: [
      each(organizations),
      each(namespaces, ofLabel),
      each(bindings, ofLabel),
      each(memberRoles, ofLabel),
      each(memberBindings, ofLabel),
      each(vdcs, ofNamespace, isCounted),
      each(machines, ofNamespace, isCounted),
      each(templates, ofNamespace, isCounted),
    ],
    async reconcile({ name }, { client }) {
      const organization = organizations.get({ name })
      if (organization === undefined) return
      if (isBeingDeleted(organization)) return remove(client, organization)
      const namespace = organizationNamespace(name)
      const held = namespaces.get({ name: namespace })
      // A namespace of somebody else must not become readable for the members.
      if (held !== undefined && held.metadata.labels?.[ORGANIZATION_LABEL] !== name) {
        const message = `namespace ${namespace} exists and is not of this organization: delete it, or choose another name`
        await write(client, organization, 'Failed', 'NamespaceTaken', message)
        return
      }
      const kept = await addFinalizer(client, Organization, organization, ORGANIZATION_FINALIZER)
      await ensure(client, Namespace, { metadata: { name: namespace, labels: ownLabels(name) } }, held)
      await grantAccess(client, organization)
      const { isEnabled } = organization.spec
      await write(
        client,
        kept,
        isEnabled ? 'Active' : 'Disabled',
        isEnabled ? 'Ready' : 'Disabled',
        isEnabled ? 'members have access' : 'nothing new can be created: spec.isEnabled is false',
      )
    },
  }
}
