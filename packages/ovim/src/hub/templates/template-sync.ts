import { isAlreadyExists } from '@orrery/kinds/values'
import { type ControllerSpec, each, writeStatus } from '@orrery/kube'
import type { ManagerContext } from '@orrery/kube/manager'
import { MANAGED_BY_LABEL, SYSTEM_NAMESPACE, ZONE_LABEL } from '../../kinds/names.js'
import { Operation } from '../../kinds/operation.js'
import { Template } from '../../kinds/template.js'
import { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { Zone } from '../../kinds/zone.js'
import { hashOf } from '../vdcs/vdc-payload.js'
import { ZoneTemplates } from './zone-templates.js'

/**
 * Tells the agents of zones when the templates that they may use have changed. The operation carries no templates, since there may be
 * many: the agent asks for them.
 */
export function templateSync({ informers }: ManagerContext): ControllerSpec {
  const zones = informers.of(Zone)
  const templates = informers.of(Template)
  const vdcs = informers.of(VirtualDataCenter)
  const ofZone = new ZoneTemplates(templates, vdcs)
  const allZones = () => zones.list().map(({ metadata: { name } }) => ({ name }))
  return {
    name: 'ovim-template-sync',
    wakes: [
      each(zones),
      each(templates, allZones),
      each(vdcs, ({ status }) => (status?.zone === undefined ? undefined : { name: status.zone })),
    ],
    async reconcile({ name }, { client }) {
      const zone = zones.get({ name })
      if (zone?.status?.agent === undefined) return
      const usable = ofZone.of(name)
      const wanted = hashOf({ templates: usable })
      const { templatesHash } = zone.status
      if (templatesHash === wanted) return
      // An agent without templates need not be told that there are none.
      if (templatesHash !== undefined || usable.length > 0) {
        try {
          await client.create(Operation, {
            metadata: {
              namespace: SYSTEM_NAMESPACE,
              name: `template-sync-${hashOf({ zone: zone.metadata.uid, from: templatesHash ?? '', to: wanted })}`,
              labels: { [ZONE_LABEL]: name, [MANAGED_BY_LABEL]: 'ovim' },
            },
            spec: {
              type: 'TemplateSync',
              zone: name,
              target: { kind: 'Zone', name, uid: zone.metadata.uid },
              payload: {},
            },
          })
        } catch (error) {
          // It was created before the zone recorded it.
          if (!isAlreadyExists(error)) throw error
        }
      }
      await writeStatus(client, Zone, zone, ({ status = {} }) => ({ ...status, templatesHash: wanted }))
    },
  }
}
