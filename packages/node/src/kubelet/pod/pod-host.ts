import type { ObjectRef } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { EventRecorder } from '@orrery/kube/events'
import type { Isolation } from '../isolation/isolation.js'
import type { PodAddresses } from '../machine/pod-addresses.js'
import type { ProgramRegistry } from '../programs/program-registry.js'
import type { HeldObjects } from '../volumes/held-objects.js'

/** What a node offers to the pods that run on it. */
export interface PodHost {
  readonly client: KubeClient
  readonly clock: Clock
  readonly events: EventRecorder
  readonly programs: ProgramRegistry
  readonly objects: HeldObjects
  readonly addresses: PodAddresses
  /** The address of the machine. */
  readonly hostIP: string
  /** Where pods are kept, each in a directory by its uid. */
  readonly podsDirectory: string
  readonly persistentDirectory: string
  readonly hostPaths: readonly string[]
  /** Where processes reach the API server. */
  readonly server: string | undefined
  /** The way to run containers apart from the machine; undefined when it has none. */
  readonly isolation: Isolation | undefined
  /** What pods can have of the machine. */
  readonly allocatable: Readonly<Record<string, string>>
  /** Something about a pod changed: have it looked at. */
  readonly wake: (ref: ObjectRef) => void
}
