import { ControllerRevision, type JsonObject } from '@orrery/kinds'
import { isAlreadyExists, jsonEqual } from '@orrery/kinds/values'
import { type Informer, ownerReferenceTo, type ReconcileContext } from '@orrery/kube'
import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { InstanceSpec, Volume } from '../kinds/instance-spec.js'
import { VirtualMachine, type VirtualMachineSpec } from '../kinds/virtual-machine.js'

/** Returns the name of the ControllerRevision that keeps the spec with which a VirtualMachine was started. */
function revisionName({ metadata: { uid, generation = 1 } }: VirtualMachine): string {
  return `revision-start-vm-${uid}-${generation}`
}

/** Keeps the spec with which the VirtualMachine starts, and removes those of earlier starts. */
export async function keepRevision(
  vm: VirtualMachine,
  revisions: Informer<ControllerRevision>,
  { client, signal }: ReconcileContext,
): Promise<string> {
  const name = revisionName(vm)
  const { namespace, uid, generation = 1 } = vm.metadata
  try {
    await client.create(
      ControllerRevision,
      {
        metadata: { name, namespace, ownerReferences: [ownerReferenceTo(vm, VirtualMachine, { controller: true })] },
        data: { spec: vm.spec } as unknown as JsonObject,
        revision: generation,
      },
      { signal },
    )
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  const older = revisions
    .list(namespace)
    .filter(({ metadata }) => metadata.name !== name && metadata.name.startsWith(`revision-start-vm-${uid}-`))
  for (const { metadata } of older) await client.ensureDeleted(ControllerRevision, metadata, { signal })
  return name
}

/** Returns whether the instance runs another template than the VirtualMachine has now. */
export function needsRestart(
  vm: VirtualMachine,
  instance: VirtualMachineInstance | undefined,
  revisions: Informer<ControllerRevision>,
): boolean {
  const name = instance?.status?.virtualMachineRevisionName
  if (name === undefined) return false
  const revision = revisions.get({ namespace: vm.metadata.namespace, name })
  const started = (revision?.data as { readonly spec?: VirtualMachineSpec } | undefined)?.spec
  return started !== undefined && !jsonEqual(fixedPart(started.template.spec), fixedPart(vm.spec.template.spec))
}

/** Returns the part of a template that a running guest cannot take over: all but volumes that can be hotplugged. */
function fixedPart(spec: InstanceSpec): object {
  const volumes = spec.volumes ?? []
  const plugged = new Set(volumes.filter(isHotpluggable).map(({ name }) => name))
  const { disks = [], ...devices } = spec.domain.devices
  return {
    ...spec,
    volumes: volumes.filter(({ name }) => !plugged.has(name)),
    domain: { ...spec.domain, devices: { ...devices, disks: disks.filter(({ name }) => !plugged.has(name)) } },
  }
}

export function isHotpluggable({ dataVolume, persistentVolumeClaim }: Volume): boolean {
  return dataVolume?.hotpluggable === true || persistentVolumeClaim?.hotpluggable === true
}
