import { LimitRange, Namespace, ResourceQuota, ServiceAccount } from '@orrery/kinds/core'
import { NetworkPolicy } from '@orrery/kinds/networking'
import { Role, RoleBinding } from '@orrery/kinds/rbac'
import type { KubeClient } from '@orrery/kube/client'
import { ensure } from '@orrery/kube/write'
import type { VdcCreateRequest, VdcDeleteRequest } from '../../wire/index.js'
import { type Execution, persistently, waitUntil } from '../execution/execution.js'
import { OperationError } from '../execution/operation-error.js'
import { NAMESPACE_LABELS, SPOKE_AGENT } from '../names.js'
import { VirtualMachine } from '../vm/kinds.js'
import { networkPoliciesOf, POLICY_NAMES } from './network-policies.js'
import {
  type Cluster,
  LIMITS,
  limitsOf,
  operatorAccountOf,
  operatorBindingOf,
  operatorRoleOf,
  organizationNamespaceOf,
  quotaOf,
  VIEWERS,
  viewerBindingOf,
  viewerRoleOf,
  workloadNamespaceOf,
} from './objects.js'

/** Creates, changes and deletes the namespaces of data centers, with their quota, limits, policies and permissions. */
export class VdcLifecycle {
  readonly #client: KubeClient
  readonly #cluster: Cluster
  readonly #agentNamespace: string

  constructor(client: KubeClient, cluster: Cluster, agentNamespace: string) {
    this.#client = client
    this.#cluster = cluster
    this.#agentNamespace = agentNamespace
  }

  /** Brings a data center to its desired state. Can be repeated. Returns whether it is new. */
  async apply(request: VdcCreateRequest, execution: Execution): Promise<boolean> {
    const isNew = await this.#checkOwner(request, execution)
    await persistently(execution, `virtual data center "${request.vdc_name}" is not complete yet`, () =>
      this.#applyAll(request, execution),
    )
    return isNew
  }

  /** Resolves when the namespace is gone. Returns what was deleted. */
  async delete(request: VdcDeleteRequest, execution: Execution): Promise<string[]> {
    const { target_namespace: name } = request
    const namespace = await this.#find(name, execution)
    if (namespace === undefined) return []
    requireManaged(namespace)
    if (request.force !== true) await this.#requireEmpty(request, execution)
    const { uid } = namespace.metadata
    await persistently(execution, `the deletion of namespace "${name}" is not accepted yet`, () =>
      this.#client.ensureDeleted(Namespace, { name }, { preconditions: { uid }, signal: execution.signal }),
    )
    await waitUntil(execution, `namespace "${name}" still has objects with finalizers`, async () => {
      return (await this.#find(name, execution))?.metadata.uid !== uid
    })
    const cleaned = [`namespace/${name}`]
    if (await this.#deleteEmptyOrganization(request, execution)) cleaned.push(`namespace/${request.vdc_namespace}`)
    return cleaned
  }

  async #applyAll(request: VdcCreateRequest, execution: Execution): Promise<void> {
    const client = this.#client
    const options = { signal: execution.signal }
    await ensure(client, Namespace, organizationNamespaceOf(request, this.#cluster), undefined, options)
    const namespace = workloadNamespaceOf(request, this.#cluster, execution.operationId)
    await ensure(client, Namespace, namespace, undefined, options)
    await ensure(client, ResourceQuota, quotaOf(request), undefined, options)
    await ensure(client, ServiceAccount, operatorAccountOf(request), undefined, options)
    await ensure(client, Role, operatorRoleOf(request), undefined, options)
    await ensure(client, RoleBinding, operatorBindingOf(request), undefined, options)
    await this.#applyLimits(request, options)
    await this.#applyViewers(request, options)
    const policies = networkPoliciesOf(request, this.#agentNamespace)
    for (const policy of policies) await ensure(client, NetworkPolicy, policy, undefined, options)
    for (const name of POLICY_NAMES) {
      if (policies.some(({ metadata }) => metadata.name === name)) continue
      await client.ensureDeleted(NetworkPolicy, { namespace: request.target_namespace, name }, options)
    }
  }

  async #applyLimits(request: VdcCreateRequest, options: { signal: AbortSignal }): Promise<void> {
    const limits = limitsOf(request)
    const ref = { namespace: request.target_namespace, name: LIMITS }
    if (limits === undefined) await this.#client.ensureDeleted(LimitRange, ref, options)
    else await ensure(this.#client, LimitRange, limits, undefined, options)
  }

  async #applyViewers(request: VdcCreateRequest, options: { signal: AbortSignal }): Promise<void> {
    const binding = viewerBindingOf(request)
    const ref = { namespace: request.target_namespace, name: VIEWERS }
    if (binding === undefined) {
      await this.#client.ensureDeleted(RoleBinding, ref, options)
      await this.#client.ensureDeleted(Role, ref, options)
      return
    }
    await ensure(this.#client, Role, viewerRoleOf(request), undefined, options)
    await ensure(this.#client, RoleBinding, binding, undefined, options)
  }

  /** A namespace of somebody else is never taken over. Returns whether there is none yet. */
  async #checkOwner(request: VdcCreateRequest, execution: Execution): Promise<boolean> {
    for (const name of [request.vdc_namespace, request.target_namespace]) {
      const found = await this.#find(name, execution)
      if (found === undefined) continue
      requireManaged(found)
      if (found.metadata.deletionTimestamp !== undefined) {
        await waitUntil(execution, `namespace "${name}" is being deleted`, async () => {
          return (await this.#find(name, execution))?.metadata.uid !== found.metadata.uid
        })
      }
      const organization = found.metadata.labels?.[NAMESPACE_LABELS.organization]
      if (organization !== request.organization) {
        const message = `namespace "${name}" belongs to organization "${organization}": choose another name`
        throw new OperationError('Conflict', message)
      }
    }
    return (await this.#find(request.target_namespace, execution)) === undefined
  }

  async #requireEmpty(request: VdcDeleteRequest, execution: Execution): Promise<void> {
    const { target_namespace: namespace, vdc_name } = request
    const { items } = await persistently(execution, `the machines of "${vdc_name}" cannot be listed`, () =>
      this.#client.list(VirtualMachine, { namespace, signal: execution.signal }),
    )
    if (items.length === 0) return
    const names = items.slice(0, 5).map(({ metadata }) => metadata.name)
    const message = `virtual data center "${vdc_name}" still has ${items.length} virtual machines (${names.join(', ')}): delete them first`
    throw new OperationError('Conflict', message)
  }

  async #deleteEmptyOrganization(request: VdcDeleteRequest, execution: Execution): Promise<boolean> {
    const labelSelector = `${NAMESPACE_LABELS.organization}=${request.organization}`
    return persistently(execution, `namespace "${request.vdc_namespace}" is not deleted yet`, async () => {
      const { items } = await this.#client.list(Namespace, { labelSelector, signal: execution.signal })
      const organization = items.find(({ metadata }) => metadata.name === request.vdc_namespace)
      if (organization === undefined || items.length > 1) return false
      if (organization.metadata.labels?.[NAMESPACE_LABELS.managedBy] !== SPOKE_AGENT) return false
      await this.#client.ensureDeleted(Namespace, { name: request.vdc_namespace }, { signal: execution.signal })
      return true
    })
  }

  #find(name: string, execution: Execution): Promise<Namespace | undefined> {
    return persistently(execution, `namespace "${name}" cannot be read`, () =>
      this.#client.find(Namespace, { name }, { signal: execution.signal }),
    )
  }
}

function requireManaged({ metadata }: Namespace): void {
  if (metadata.labels?.[NAMESPACE_LABELS.managedBy] === SPOKE_AGENT) return
  const message = `namespace "${metadata.name}" exists and does not belong to OVIM: it is not changed`
  throw new OperationError('Conflict', message)
}
