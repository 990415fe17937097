import type { ApiObject, Kind, ObjectRef } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { awaiting, watchOne } from '@orrery/kube/informer'
import { Zone } from '../kinds/zone.js'
import type { Explanation } from './explanation.js'
import type { Zones } from './zone-problem.js'
import { readZones } from './zones.js'

/** What is known about an object that somebody waits for. */
export interface Step {
  readonly explanation: Explanation
  /** Whether waiting is over: it is as requested, or it will not be. */
  readonly isOver: boolean
}

export interface FollowOptions {
  readonly signal: AbortSignal
  /** Called whenever the explanation changes. */
  readonly onChange?: (explanation: Explanation) => void
}

/** Follows an object, whose step depends on zones as well, until waiting is over. `object` is undefined if it does not exist. */
export async function follow<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  ref: ObjectRef,
  stepOf: (object: T | undefined, zones: Zones) => Step,
  { signal, onChange }: FollowOptions,
): Promise<Explanation> {
  const mayReadZones = (await readZones(client)) !== undefined
  let last = ''
  return awaiting(
    client,
    (informers, notify) => {
      const current = watchOne(informers, kind, ref, notify)
      const zones = mayReadZones ? informers.of(Zone) : undefined
      zones?.subscribe(notify)
      return () => {
        const known = zones && new Map(zones.list().map((zone) => [zone.metadata.name, zone]))
        const { explanation, isOver } = stepOf(current(), known)
        // Times that pass change the text of a failure, and are no news.
        const shown = `${explanation.state} ${explanation.text.replace(/\([^)]*\)/g, '')}`
        if (shown !== last) onChange?.(explanation)
        last = shown
        return isOver ? explanation : undefined
      }
    },
    signal,
  )
}
