import { ownerReferenceTo, type ReconcileContext } from '@orrery/kube'
import { controllerOf, setOwner } from '@orrery/kube/write'
import type { Recorder } from '../../workloads/context.js'
import { messageOf } from '../../workloads/pod-control.js'
import type { KubevirtContext } from '../context.js'
import { DataVolume, type NewDataVolume } from '../kinds/data-volume.js'
import { type DataVolumeTemplate, VirtualMachine } from '../kinds/virtual-machine.js'
import { CREATED_BY_LABEL } from '../names.js'

/** A launcher pod may use a volume in these phases: the last two wait for it. */
const USABLE: ReadonlySet<string> = new Set(['Succeeded', 'WaitForFirstConsumer', 'PendingPopulation'])

/** Creates the DataVolumes of a VirtualMachine's templates. Returns whether all can be used. */
export async function ensureDataVolumes(
  vm: VirtualMachine,
  context: Pick<KubevirtContext, 'dataVolumes' | 'claims' | 'expectations'>,
  recorder: Recorder,
  { client, signal }: ReconcileContext,
): Promise<boolean> {
  const { dataVolumes, claims } = context
  const { namespace } = vm.metadata
  const owner = ownerReferenceTo(vm, VirtualMachine, { controller: true })
  let isReady = true
  for (const template of vm.spec.dataVolumeTemplates ?? []) {
    const name = template.metadata?.name ?? ''
    const known = dataVolumes.get({ namespace, name })
    if (known !== undefined) {
      if (controllerOf(known) === undefined) await setOwner(client, DataVolume, known, owner, { signal })
      const { phase = '' } = known.status ?? {}
      if (phase === 'Failed') {
        const note = `DataVolume ${name} failed to import disk image`
        recorder.record({ regarding: vm, type: 'Warning', reason: 'FailedDataVolumeImport', note })
      }
      isReady &&= USABLE.has(phase)
      continue
    }
    // Some versions of CDI delete a DataVolume when its claim has the data.
    if (claims.get({ namespace, name })?.status?.phase === 'Bound') continue
    isReady = false
    try {
      const write = client.create(DataVolume, draftOf(vm, template, name), { signal })
      await context.expectations(DataVolume).after(write, signal)
      const note = `Created DataVolume ${name}`
      recorder.record({ regarding: vm, type: 'Normal', reason: 'SuccessfulDataVolumeCreate', note })
    } catch (error) {
      const note = `Error creating DataVolume ${name}: ${messageOf(error)}`
      recorder.record({ regarding: vm, type: 'Warning', reason: 'FailedDataVolumeCreate', note })
      throw error
    }
  }
  return isReady
}

function draftOf(vm: VirtualMachine, { metadata, spec }: DataVolumeTemplate, name: string): NewDataVolume {
  return {
    metadata: {
      name,
      namespace: vm.metadata.namespace,
      labels: { ...metadata?.labels, [CREATED_BY_LABEL]: vm.metadata.uid },
      ...(metadata?.annotations !== undefined && { annotations: metadata.annotations }),
      ownerReferences: [ownerReferenceTo(vm, VirtualMachine, { controller: true })],
    },
    spec,
  }
}
