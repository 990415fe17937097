import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ObjectRef, PersistentVolume, Pod } from '@orrery/kinds'
import { isNotFound, keyOf, refOf } from '@orrery/kinds/values'
import { type ControllerSpec, each, type Informers, requeueAt, writeStatus } from '@orrery/kube'
import { systemClock } from '@orrery/kube/clock'
import type { Enqueue, Wake } from '@orrery/kube/controller'
import type { SharedInformer } from '@orrery/kube/informer'
import { endLeftovers } from './os/leftovers.js'
import { removeTree } from './os/remove-tree.js'
import type { PodHost } from './pod/pod-host.js'
import { PodRun } from './pod/pod-run.js'
import { HeldObjects } from './volumes/held-objects.js'

export interface KubeletOptions extends Omit<PodHost, 'wake' | 'objects'> {
  readonly nodeName: string
  /** Informers for the objects that pods use. They are started and stopped with the pods. */
  readonly informers: Informers
  /** An informer that has at least the pods of this node. */
  readonly pods: SharedInformer<Pod>
}

/**
 * Runs the pods that are bound to a node. Unlike other controllers it has state that is not in the API: the running
 * processes. Everything else it derives from the spec and status of the pod and from the time.
 */
export class Kubelet {
  readonly #host: PodHost
  readonly #nodeName: string
  readonly #pods: SharedInformer<Pod>
  readonly #runs = new Map<string, PodRun>()
  readonly #wakers = new Set<Enqueue>()
  readonly #stopping = new AbortController()

  constructor({ nodeName, informers, pods, ...offered }: KubeletOptions) {
    this.#nodeName = nodeName
    this.#pods = pods
    const wake = (ref: ObjectRef) => {
      for (const enqueue of this.#wakers) enqueue({ namespace: ref.namespace, name: ref.name }, 'fresh')
    }
    const wakeHolder = (uid: string) => {
      for (const [key, run] of this.#runs) if (run.uid === uid) wake(refOf(key))
    }
    this.#host = { ...offered, objects: new HeldObjects(informers, wakeHolder, this.#stopping.signal), wake }
  }

  /**
   * Removes what an earlier run of the node left behind. Call it once before the controller starts, with the pods
   * informer synced.
   */
  async cleanUp(): Promise<void> {
    const { podsDirectory, persistentDirectory, client } = this.#host
    await endLeftovers(podsDirectory)
    const pods = new Set(this.#pods.list().flatMap((pod) => (this.#isHere(pod) ? [pod.metadata.uid] : [])))
    await removeOthers(podsDirectory, pods)
    const names = await namesIn(persistentDirectory)
    if (names.length === 0) return
    const { items } = await client.list(PersistentVolume)
    await removeOthers(persistentDirectory, new Set(items.map(({ metadata }) => metadata.name)))
  }

  /** Removes the data of a persistent volume that was deleted. */
  async removeVolume(name: string): Promise<void> {
    await removeTree(join(this.#host.persistentDirectory, name))
  }

  /** Returns the controller that syncs pods. */
  controller(): ControllerSpec {
    return {
      name: 'kubelet',
      concurrency: 16,
      wakes: [each(this.#pods, (pod) => (this.#isHere(pod) ? pod.metadata : undefined)), this.#happenings()],
      reconcile: async (ref, { signal }) => {
        const again = await this.#reconcile(ref, signal)
        return again === undefined ? undefined : requeueAt(again)
      },
    }
  }

  /** Returns the run of a pod on this node. */
  find(ref: ObjectRef): PodRun | undefined {
    return this.#runs.get(keyOf(ref))
  }

  /** Returns all pods on this node, with their runs. */
  *all(): Iterable<{ readonly pod: Pod; readonly run: PodRun }> {
    for (const [key, run] of this.#runs) {
      const pod = this.#pods.get(refOf(key))
      if (pod !== undefined && pod.metadata.uid === run.uid) yield { pod, run }
    }
  }

  /** Aborts everything that waits, so that the controller can stop. */
  abandon(): void {
    this.#stopping.abort()
  }

  /** Stops all processes. The pods stay in the API unchanged, and the next start of the node resumes them. */
  async close(graceSeconds: number): Promise<void> {
    const runs = [...this.#runs.values()]
    // Uses the system clock: a process that ignores signals must not keep this one alive.
    const cancel = systemClock.after(graceSeconds * 1_000, () => {
      for (const run of runs) void run.halt(0)
    })
    await Promise.all(runs.map((run) => run.halt(graceSeconds)))
    cancel()
  }

  async #reconcile(ref: ObjectRef, signal: AbortSignal): Promise<Date | undefined> {
    const key = keyOf(ref)
    const found = this.#pods.get(ref)
    const pod = found !== undefined && this.#isHere(found) ? found : undefined
    let run = this.#runs.get(key)
    if (run !== undefined && run.uid !== pod?.metadata.uid) {
      this.#runs.delete(key)
      await run.destroy()
      run = undefined
    }
    if (pod === undefined) return undefined
    if (run === undefined) {
      const others = () => Array.from(this.all(), (other) => other.pod)
      run = new PodRun(pod, this.#host, others)
      this.#runs.set(key, run)
    }
    const { clock, client } = this.#host
    const again = await run.sync(pod, clock.now())
    const known = run
    try {
      await writeStatus(client, Pod, pod, (current) => known.status(current, clock.now()), { signal })
      if (run.isOver) await this.#letGo(pod, signal)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    return again
  }

  #isHere({ spec }: Pod): boolean {
    return spec.nodeName === this.#nodeName
  }

  /** Removes a pod that is being deleted from the API after its processes have ended. */
  async #letGo({ metadata }: Pod, signal: AbortSignal): Promise<void> {
    const { deletionTimestamp, deletionGracePeriodSeconds = 0, uid } = metadata
    // With a grace period of 0, the deletion does not wait for this node; only finalizers can hold the pod.
    if (deletionTimestamp === undefined || deletionGracePeriodSeconds === 0) return
    await this.#host.client.delete(Pod, metadata, { gracePeriodSeconds: 0, preconditions: { uid }, signal })
  }

  /** Wakes the controller for events of this machine: a process ended, a probe changed its result. */
  #happenings(): Wake {
    return {
      informer: this.#pods,
      target: Pod,
      start: (enqueue) => {
        this.#wakers.add(enqueue)
        return () => this.#wakers.delete(enqueue)
      },
      resync: () => undefined,
    }
  }
}

async function removeOthers(directory: string, known: ReadonlySet<string>): Promise<void> {
  for (const name of await namesIn(directory)) {
    if (!known.has(name)) await removeTree(join(directory, name))
  }
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => [])
}
