import { type Draft, type JsonObject, PersistentVolumeClaim, type Pod, type StatefulSet } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import { isBeingDeleted } from '@orrery/kube'
import type { Recorder, WorkloadContext } from '../context.js'
import { messageOf } from '../pod-control.js'
import { claimOwners } from './claim-owners.js'
import { claimName, podName } from './identity.js'

/** Creates the claims of StatefulSet pods and sets their owner references. */
export class ClaimControl {
  readonly #context: WorkloadContext
  readonly #recorder: Recorder
  readonly #set: StatefulSet
  readonly #signal: AbortSignal

  constructor(context: WorkloadContext, recorder: Recorder, set: StatefulSet, signal: AbortSignal) {
    this.#context = context
    this.#recorder = recorder
    this.#set = set
    this.#signal = signal
  }

  /** Creates the claims of a pod. Returns false while an earlier claim of the same name is being deleted. */
  async ensure(ordinal: number): Promise<boolean> {
    const claims = this.#context.informers.of(PersistentVolumeClaim)
    const drafts = this.#drafts(ordinal)
    const known = drafts.map(({ metadata }) => claims.get({ namespace: metadata.namespace, name: metadata.name ?? '' }))
    if (known.some((claim) => claim !== undefined && isBeingDeleted(claim))) return false
    await Promise.all(
      drafts.filter((_, index) => known[index] === undefined).map((draft) => this.#create(draft, ordinal)),
    )
    return true
  }

  /** Sets the owner references of a pod's claims according to the retention policy. */
  async retain(ordinal: number, pod: Pod, isSurplus: boolean): Promise<void> {
    const claims = this.#context.informers.of(PersistentVolumeClaim)
    for (const { metadata } of this.#drafts(ordinal)) {
      const claim = claims.get({ namespace: metadata.namespace, name: metadata.name ?? '' })
      if (claim !== undefined && !isBeingDeleted(claim)) await this.#own(claim, pod, isSurplus)
    }
  }

  #drafts(ordinal: number): Draft<PersistentVolumeClaim>[] {
    const { metadata, spec } = this.#set
    return (spec.volumeClaimTemplates ?? []).map((template) => ({
      metadata: {
        namespace: metadata.namespace,
        name: claimName(this.#set, template.metadata.name ?? '', ordinal),
        labels: { ...template.metadata.labels, ...spec.selector.matchLabels },
        ...(template.metadata.annotations !== undefined && { annotations: template.metadata.annotations }),
      },
      ...(template.spec !== undefined && { spec: template.spec }),
    }))
  }

  async #create(draft: Draft<PersistentVolumeClaim>, ordinal: number): Promise<void> {
    const { client } = this.#context
    const names = `Claim ${draft.metadata.name} Pod ${podName(this.#set, ordinal)} in StatefulSet ${this.#set.metadata.name}`
    try {
      const write = client.create(PersistentVolumeClaim, draft, { signal: this.#signal })
      await this.#context.expectations(PersistentVolumeClaim).after(write, this.#signal)
      this.#recorder.record({ regarding: this.#set, reason: 'SuccessfulCreate', note: `Create ${names} success` })
    } catch (error) {
      if (isAlreadyExists(error)) return
      const note = `Create ${names.replace(' Pod ', ' for Pod ')} failed error: ${messageOf(error)}`
      this.#recorder.record({ regarding: this.#set, type: 'Warning', reason: 'FailedCreate', note })
      throw error
    }
  }

  async #own(claim: PersistentVolumeClaim, pod: Pod, isSurplus: boolean): Promise<void> {
    const owners = claimOwners(claim, this.#set, pod, isSurplus)
    if (owners === undefined) return
    const { name, namespace, uid, resourceVersion } = claim.metadata
    const metadata = { uid, resourceVersion, ownerReferences: owners as unknown as JsonObject[] }
    const options = { signal: this.#signal }
    const write = this.#context.client.patch(PersistentVolumeClaim, { name, namespace }, { metadata }, options)
    await this.#context.expectations(PersistentVolumeClaim).after(write, this.#signal)
  }
}
