import { type ApiObject, type Kind, Namespace, type ObjectRef, ServiceAccount } from '@orrery/kinds'
import { ensure, type KubeClient } from '@orrery/kube'
import type { VirtualMachineRequest } from '@orrery/ovim'

/** The name of the demo organization, its virtual data center and its user. */
export const DEMO = 'demo'
/** The namespace of service accounts of people. */
export const DEMO_USERS = 'ovim-users'
export const DEMO_VM = 'demo-vm'
const TEMPLATE = 'cirros'
const PUBLIC = 'ovim-system'
const FIELD_MANAGER = 'orrery-demo'

/**
 * Gives a fleet a tenant with a user, a virtual data center on a cluster, a public template, and a virtual machine that runs. Resolves
 * with the virtual machine when it runs.
 */
export async function runOvimDemo(
  hub: KubeClient,
  cluster: string,
  signal: AbortSignal,
): Promise<VirtualMachineRequest> {
  // Loaded on demand: most commands about a fleet need none of it.
  const { Catalog, Organization, organizationNamespace, Template, VirtualDataCenter, VirtualMachineRequest } =
    await import('@orrery/ovim')
  const call = { fieldManager: FIELD_MANAGER, force: true, signal }
  const user = { namespace: DEMO_USERS, name: DEMO }
  await ensure(hub, Namespace, { metadata: { name: DEMO_USERS } }, undefined, call)
  await ensure(hub, ServiceAccount, { metadata: user }, undefined, call)
  const users = [{ kind: 'ServiceAccount' as const, ...user }]
  await ensure(hub, Organization, { metadata: { name: DEMO }, spec: { displayName: 'Demo', users } }, undefined, call)
  await ensure(
    hub,
    Template,
    {
      metadata: { namespace: PUBLIC, name: TEMPLATE },
      spec: {
        displayName: 'CirrOS',
        osType: 'linux',
        osVersion: '0.6',
        cpu: 1,
        memory: '256Mi',
        image: { containerDisk: 'quay.io/kubevirt/cirros-container-disk-demo:latest' },
      },
    },
    undefined,
    call,
  )
  const catalog = { displayName: 'Images for a first try', templates: [TEMPLATE] }
  await ensure(hub, Catalog, { metadata: { namespace: PUBLIC, name: DEMO }, spec: catalog }, undefined, call)
  const namespace = organizationNamespace(DEMO)
  // The controller of organizations creates the namespace.
  await whenever(hub, Organization, { name: DEMO }, ({ status }) => status?.phase === 'Active', signal)
  const quota = { cpu: '4', memory: '4Gi', virtualMachines: 10 }
  const vdc = { metadata: { namespace, name: DEMO }, spec: { zoneId: cluster, quota } }
  await ensure(hub, VirtualDataCenter, vdc, undefined, call)
  const vm = { metadata: { namespace, name: DEMO_VM }, spec: { vdc: DEMO, template: TEMPLATE } }
  await ensure(hub, VirtualMachineRequest, vm, undefined, call)
  const isRunning = ({ status }: VirtualMachineRequest) => status?.phase === 'running'
  return whenever(hub, VirtualMachineRequest, { namespace, name: DEMO_VM }, isRunning, signal)
}

interface WithPhase extends ApiObject {
  readonly status?: { readonly phase?: string; readonly message?: string }
}

/** Resolves when an object is as wanted. Throws with the state of the object when the signal aborts. */
async function whenever<T extends WithPhase>(
  hub: KubeClient,
  kind: Kind<T, object>,
  { namespace, name }: ObjectRef,
  isWanted: (object: T) => boolean,
  signal: AbortSignal,
): Promise<T> {
  let reason = 'it has no status'
  try {
    const selection = { fieldSelector: `metadata.name=${name}`, ...(namespace !== undefined && { namespace }) }
    for await (const { type, object } of hub.watch(kind, { ...selection, signal })) {
      if (type === 'BOOKMARK') continue
      if (isWanted(object)) return object
      reason = object.status?.message ?? object.status?.phase ?? reason
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  throw new Error(`${kind.kind} ${name} of the demo is not ready in time: ${reason}`)
}
