import { Secret } from '@orrery/kinds/core'
import { isNotFound } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube/client'
import type { VmCreateRequest } from '../../wire/index.js'
import { type Execution, persistently } from '../execution/execution.js'
import { MANAGED_BY_OVIM, VM_LABELS } from '../names.js'
import { keyOf } from './access.js'
import { cloudInitName } from './build.js'
import type { VirtualMachine } from './kinds.js'

/** Writes the cloud-init data of a machine into a Secret, before the machine exists. */
export async function writeCloudInit(
  client: KubeClient,
  request: VmCreateRequest,
  data: Record<string, string>,
  execution: Execution,
): Promise<void> {
  const metadata = {
    namespace: request.namespace,
    name: cloudInitName(request.name),
    labels: { [VM_LABELS.managedBy]: MANAGED_BY_OVIM, [VM_LABELS.vmName]: request.name },
  }
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
  await persistently(execution, `the cloud-init Secret of "${keyOf(request)}" is not accepted yet`, () =>
    client.apply(
      Secret,
      { metadata, type: 'Opaque', data: Object.fromEntries(encoded) },
      { force: true, signal: execution.signal },
    ),
  )
}

/** Makes the machine the owner of its Secret, which then goes with it. */
export async function adoptCloudInit(client: KubeClient, vm: VirtualMachine, execution: Execution): Promise<void> {
  const { namespace, name, uid } = vm.metadata
  const owner = { apiVersion: vm.apiVersion, kind: vm.kind, name, uid, blockOwnerDeletion: true }
  const patch = { metadata: { ownerReferences: [owner] } }
  await persistently(execution, `the cloud-init Secret of "${namespace}/${name}" is not updated yet`, async () => {
    try {
      await client.patch(Secret, { namespace, name: cloudInitName(name) }, patch, { signal: execution.signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  })
}
