import { ConfigMap } from '@orrery/kinds'
import { type ControllerSpec, type Informer, requeueAfter } from '@orrery/kube'
import { atStart } from '@orrery/kube/controller'
import { LocalInformer } from '@orrery/kube/informer'

/** The share of the period by which runs differ, so that the agents of all clusters do not write at once. */
const JITTER = 0.1

/** What to run again and again. */
export interface PeriodicRun {
  /** Its name in logs and metrics. */
  readonly name: string
  /** The seconds between two runs, up to a tenth less. */
  readonly seconds: number
  run(signal: AbortSignal): Promise<void>
  /** Returns a number from 0 to 1. Default `Math.random`. */
  readonly random?: () => number
}

/** A controller that runs at the start and then periodically. After a failure it runs again with backoff. */
export function periodically({ name, seconds, run, random = Math.random }: PeriodicRun): ControllerSpec {
  if (!(seconds > 0)) throw new RangeError(`${name}: the seconds between two runs must be more than 0, not ${seconds}`)
  return {
    name,
    wakes: [atStart(noInformer(), { name })],
    async reconcile(_, { signal }) {
      await run(signal)
      return requeueAfter(1_000 * seconds * (1 - JITTER * random()))
    },
    backoff: { firstMilliseconds: 1_000, maxMilliseconds: 1_000 * Math.max(1, seconds) },
  }
}

/** For controllers that wait for no objects: an informer that is empty, and has synced. */
export function noInformer(): Informer {
  const informer = new LocalInformer(ConfigMap)
  informer.replace([])
  return informer
}
