import { createHash } from 'node:crypto'
import { ownerReferenceTo } from '@orrery/kube'
import type { NewVirtualMachineInstance } from '../kinds/instance.js'
import { VirtualMachine } from '../kinds/virtual-machine.js'
import { VM_FINALIZER, VM_GENERATION_ANNOTATION } from '../names.js'
import { startsPaused } from './state-changes.js'

/** Returns the instance that starts a VirtualMachine. It has the same name. */
export function newInstance(vm: VirtualMachine, revision: string): NewVirtualMachineInstance {
  const { name, namespace, generation = 1 } = vm.metadata
  const { metadata, spec } = vm.spec.template
  const { firmware } = spec.domain
  return {
    metadata: {
      name,
      namespace,
      ...(metadata?.labels !== undefined && { labels: metadata.labels }),
      annotations: { ...metadata?.annotations, [VM_GENERATION_ANNOTATION]: String(generation) },
      finalizers: [VM_FINALIZER],
      ownerReferences: [ownerReferenceTo(vm, VirtualMachine, { controller: true })],
    },
    spec: {
      ...spec,
      domain: { ...spec.domain, firmware: { ...firmware, uuid: firmware?.uuid ?? stableUuid(vm.metadata.uid) } },
      ...(startsPaused(vm) && { startStrategy: 'Paused' }),
    },
    status: { virtualMachineRevisionName: revision },
  }
}

/** Returns a UUID that all instances of a VirtualMachine share, so that its guest sees the same hardware. */
function stableUuid(uid: string): string {
  const hex = createHash('sha256').update(uid).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
