import { type ControllerSpec, each, requeueAt, writeStatus } from '@orrery/kube'
import type { ManagerContext } from '@orrery/kube/manager'
import { Zone } from '../../kinds/zone.js'
import type { AgentContacts } from './agent-contacts.js'
import { STALE_MS, staleStatus } from './zone-status.js'

/** Marks zones whose agent has stopped to report. */
export function zoneConnection({ informers, clock }: ManagerContext, contacts: AgentContacts): ControllerSpec {
  const zones = informers.of(Zone)
  return {
    name: 'ovim-zone-connection',
    wakes: [each(zones)],
    async reconcile(ref, { client }) {
      const zone = zones.get(ref)
      if (zone === undefined) return contacts.forget(ref.name)
      const written = Date.parse(zone.status?.agent?.lastContact ?? '')
      const heard = contacts.get(ref.name)?.lastReport?.getTime() ?? 0
      const last = Math.max(heard, Number.isNaN(written) ? 0 : written)
      const staleAt = new Date(last + STALE_MS)
      if (clock.now() < staleAt) return requeueAt(staleAt)
      if (zone.status?.agent?.status === 'stale') return
      await writeStatus(client, Zone, zone, (current) => staleStatus(current, clock.now()))
      return
    },
  }
}
