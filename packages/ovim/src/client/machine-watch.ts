import { Informers, type KubeClient } from '@orrery/kube'
import { silentLogger } from '@orrery/kube/log'
import { unlessAborted } from '@orrery/kube/process'
import { VirtualMachineRequest } from '../kinds/virtual-machine-request.js'
import { Zone } from '../kinds/zone.js'
import { organizationNamespace } from '../wire/vdc-payloads.js'
import { explainMachine } from './machine-explanation.js'
import type { MachineOverview } from './machines.js'
import { readZones } from './zones.js'

/** A virtual machine that is new, has changed, or is gone. */
export interface MachineChange extends MachineOverview {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
}

/** Calls back for the virtual machines of an organization, or of all, and for each change that people see, until the signal is aborted. */
export async function watchMachines(
  client: KubeClient,
  organization: string | undefined,
  onChange: (change: MachineChange) => void,
  signal: AbortSignal,
): Promise<void> {
  const namespace = organization === undefined ? undefined : organizationNamespace(organization)
  // An informer would retry for ever without the permission.
  await client.list(VirtualMachineRequest, { namespace, limit: 1 })
  const mayReadZones = (await readZones(client)) !== undefined
  const informers = new Informers(client, { log: silentLogger })
  try {
    const requests = informers.of(VirtualMachineRequest, { namespace })
    const zones = mayReadZones ? informers.of(Zone) : undefined
    const shown = new Map<string, string>()
    const update = (request: VirtualMachineRequest) => {
      const known = zones && new Map(zones.list().map((zone) => [zone.metadata.name, zone]))
      const explanation = explainMachine(request, known, new Date())
      const { metadata, spec, status } = request
      const visible = JSON.stringify([spec, status?.phase, status?.ipAddress, status?.nodeName, explanation.text])
      const before = shown.get(metadata.uid)
      if (before === visible) return
      shown.set(metadata.uid, visible)
      onChange({ type: before === undefined ? 'ADDED' : 'MODIFIED', request, explanation })
    }
    await unlessAborted(informers.whenSynced(signal), signal).catch(ignoringAbort(signal))
    if (signal.aborted) return
    requests.subscribe(({ before, after }) => {
      if (after !== undefined) return update(after)
      if (before === undefined) return
      shown.delete(before.metadata.uid)
      onChange({ type: 'DELETED', request: before, explanation: { state: 'as-requested', text: 'is deleted' } })
    })
    zones?.subscribe(() => requests.list().forEach(update))
    await unlessAborted(new Promise<never>(() => undefined), signal).catch(ignoringAbort(signal))
  } finally {
    await informers.close()
  }
}

function ignoringAbort(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error
  }
}
