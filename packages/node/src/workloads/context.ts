import { type ApiObject, type Kind, Pod } from '@orrery/kinds'
import { resourceName } from '@orrery/kinds/values'
import type { Informer, Informers, KubeClient, Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { EventRecorder } from '@orrery/kube/events'
import { controllerOf } from '@orrery/kube/write'
import { Expectations } from './expectations.js'

/** Records events. */
export type Recorder = Pick<EventRecorder, 'record'>

export interface WorkloadOptions {
  readonly client: KubeClient
  readonly informers: Informers
  readonly clock: Clock
  readonly log: Logger
  /** Creates the event recorder of a component. Defaults to recorders that write to the API. */
  readonly recorder?: (component: string) => Recorder
  /** The directory on nodes for provisioned volumes. Defaults to `/var/lib/orrery/volumes`. */
  readonly volumeDirectory?: string
}

/** An index for objects that controllers adopt: the UID of the controller, or the namespace of objects without one. */
export const OWNER_INDEX = 'owner'

export function orphansOf(namespace: string): string {
  return `/${namespace}`
}

/** The context that all workload controllers share. */
export class WorkloadContext {
  readonly client: KubeClient
  readonly informers: Informers
  readonly clock: Clock
  readonly log: Logger
  readonly volumeDirectory: string
  readonly #recorderOf: (component: string) => Recorder
  readonly #recorders = new Map<string, Recorder>()
  readonly #expectations = new Map<string, unknown>()

  constructor({ client, informers, clock, log, recorder, volumeDirectory }: WorkloadOptions) {
    this.volumeDirectory = volumeDirectory ?? '/var/lib/orrery/volumes'
    this.client = client
    this.informers = informers
    this.clock = clock
    this.log = log
    this.#recorderOf =
      recorder ?? ((component) => new EventRecorder(client, { controller: component, apiVersion: 'v1', clock, log }))
  }

  recorder(component: string): Recorder {
    let recorder = this.#recorders.get(component)
    if (recorder === undefined) {
      recorder = this.#recorderOf(component)
      this.#recorders.set(component, recorder)
    }
    return recorder
  }

  /** All pods, indexed by controller. */
  get pods(): Informer<Pod> {
    return this.owned(Pod)
  }

  /** An informer for a kind, indexed by controller. */
  owned<T extends ApiObject>(kind: Kind<T, object>): Informer<T> {
    const informer = this.informers.of(kind)
    informer.addIndex(OWNER_INDEX, ownerKeys)
    return informer
  }

  /** Waits for the controller's own writes of a kind. */
  expectations<T extends ApiObject>(kind: Kind<T, object>): Expectations<T> {
    const name = resourceName(kind)
    let expectations = this.#expectations.get(name) as Expectations<T> | undefined
    if (expectations === undefined) {
      expectations = new Expectations(this.informers.of(kind), this.clock)
      this.#expectations.set(name, expectations)
    }
    return expectations
  }
}

function ownerKeys(object: ApiObject): readonly string[] {
  return [controllerOf(object)?.uid ?? orphansOf(object.metadata.namespace ?? '')]
}
