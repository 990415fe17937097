import { isForbidden } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { Zone } from '../kinds/zone.js'
import type { Zones } from './zone-problem.js'

/** All zones; undefined if the user may not read them. */
export async function readZones(client: KubeClient): Promise<Zones> {
  try {
    return new Map((await client.list(Zone)).items.map((zone) => [zone.metadata.name, zone]))
  } catch (error) {
    if (!isForbidden(error)) throw error
    return undefined
  }
}
