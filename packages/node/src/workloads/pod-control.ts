import { type ApiObject, type Draft, Pod } from '@orrery/kinds'
import { isNotFound, StatusError } from '@orrery/kinds/values'
import type { Recorder, WorkloadContext } from './context.js'
import { WriteGate } from './write-gate.js'

/** The bytes of the pods of one owner that are written at the same time. */
const MOST_BYTES = 1024 * 1024

/** The event messages about pods. The name is empty if a pod with a generated name was not created. */
export interface PodWording {
  created(name: string): string
  createFailed(name: string, why: string): string
  deleted(name: string): string
  deleteFailed(name: string, why: string): string
}

const plainWording: PodWording = {
  created: (name) => `Created pod: ${name}`,
  createFailed: (_, why) => `Error creating: ${why}`,
  deleted: (name) => `Deleted pod: ${name}`,
  deleteFailed: (_, why) => `Error deleting: ${why}`,
}

/** Creates and deletes pods for one owner, waits until the informer shows the change, and records events. */
export class PodControl {
  readonly #context: WorkloadContext
  readonly #recorder: Recorder
  readonly #owner: ApiObject
  readonly #signal: AbortSignal
  readonly #wording: PodWording
  readonly #gate = new WriteGate(MOST_BYTES)
  #podBytes: number | undefined

  constructor(
    context: WorkloadContext,
    recorder: Recorder,
    owner: ApiObject,
    signal: AbortSignal,
    wording: PodWording = plainWording,
  ) {
    this.#context = context
    this.#recorder = recorder
    this.#owner = owner
    this.#signal = signal
    this.#wording = wording
  }

  async create(draft: Draft<Pod>): Promise<Pod> {
    try {
      const { client } = this.#context
      const pod = await this.#gate.run(this.#bytesOfPod(), () => {
        const write = client.create(Pod, draft, { signal: this.#signal })
        return this.#context.expectations(Pod).after(write, this.#signal)
      })
      this.#recordEvent('Normal', 'SuccessfulCreate', this.#wording.created(pod.metadata.name), pod)
      return pod
    } catch (error) {
      // All creations in a terminating namespace fail, so no event is recorded.
      if (!isNamespaceEnding(error)) {
        const note = this.#wording.createFailed(draft.metadata.name ?? '', messageOf(error))
        this.#recordEvent('Warning', 'FailedCreate', note)
      }
      throw error
    }
  }

  /** Does nothing if the pod no longer exists. */
  async delete(pod: Pod): Promise<void> {
    const { name, namespace, uid } = pod.metadata
    const { client } = this.#context
    try {
      await this.#gate.run(this.#bytesOfPod(), () => {
        const deletion = client.delete(Pod, { name, namespace }, { preconditions: { uid }, signal: this.#signal })
        return this.#context.expectations(Pod).gone(deletion, pod, this.#signal)
      })
      this.#recordEvent('Normal', 'SuccessfulDelete', this.#wording.deleted(name), pod)
    } catch (error) {
      if (isNotFound(error)) return
      this.#recordEvent('Warning', 'FailedDelete', this.#wording.deleteFailed(name, messageOf(error)), pod)
      throw error
    }
  }

  /** About the size of the owner, which has the template. */
  #bytesOfPod(): number {
    this.#podBytes ??= JSON.stringify(this.#owner).length
    return this.#podBytes
  }

  /** The related pod keeps events about different pods apart. */
  #recordEvent(type: 'Normal' | 'Warning', reason: string, note: string, pod?: Pod): void {
    this.#recorder.record({ regarding: this.#owner, ...(pod !== undefined && { related: pod }), type, reason, note })
  }
}

/** Returns whether a create failed because its namespace is terminating. */
export function isNamespaceEnding(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
  )
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
