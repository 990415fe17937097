import { type ApiObject, type Kind, Pod } from '@orrery/kinds'
import { resourceName } from '@orrery/kinds/values'
import type { Informer, Informers, KubeClient, Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { EventRecorder } from '@orrery/kube/events'
import { controllerOf } from '@orrery/kube/write'
import { Expectations } from './expectations.js'

/** Takes down what happened to an object. */
export type Recorder = Pick<EventRecorder, 'record'>

export interface WorkloadOptions {
  readonly client: KubeClient
  readonly informers: Informers
  readonly clock: Clock
  readonly log: Logger
  /** Where a component's events go. Default: to the API, by a recorder for each component. */
  readonly recorder?: (component: string) => Recorder
  /** The directory on nodes in which volumes get theirs. Default `/var/lib/orrery/volumes`. */
  readonly volumeDirectory?: string
}

/** Values of the index `owner` on kinds that are claimed: the controller's uid, or the namespace of those without one. */
export const OWNER_INDEX = 'owner'

export function orphansOf(namespace: string): string {
  return `/${namespace}`
}

/** What every controller of workloads has at hand. */
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

  /** All pods, found by their controller or by not having one. */
  get pods(): Informer<Pod> {
    return this.owned(Pod)
  }

  /** The objects of a kind, found by their controller or by not having one. */
  owned<T extends ApiObject>(kind: Kind<T, object>): Informer<T> {
    const informer = this.informers.of(kind)
    informer.addIndex(OWNER_INDEX, ownerKeys)
    return informer
  }

  /** To wait for one's own writes of a kind. */
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
