import type { ObjectRef } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { EventRecorder } from '@orrery/kube/events'
import type { Isolation } from '../isolation/isolation.js'
import type { PodAddresses } from '../machine/pod-addresses.js'
import type { ProgramRegistry } from '../programs/program-registry.js'
import type { HeldObjects } from '../volumes/held-objects.js'

/** What a node provides to its pods. */
export interface PodHost {
  readonly client: KubeClient
  readonly clock: Clock
  readonly events: EventRecorder
  readonly programs: ProgramRegistry
  readonly objects: HeldObjects
  readonly addresses: PodAddresses
  /** The IP address of the machine. */
  readonly hostIP: string
  /** The directory with a subdirectory for each pod, named by its UID. */
  readonly podsDirectory: string
  readonly persistentDirectory: string
  readonly hostPaths: readonly string[]
  /** The URL of the API server for processes. */
  readonly server: string | undefined
  /** The isolation of containers; undefined if the machine does not support it. */
  readonly isolation: Isolation | undefined
  /** The allocatable resources of the node. */
  readonly allocatable: Readonly<Record<string, string>>
  /** Enqueues a pod for a sync. */
  readonly wake: (ref: ObjectRef) => void
}
