import { type ApiObject, Pod, ReplicaSet } from '@orrery/kinds'
import type { Informers } from '@orrery/kube'
import type { Selection } from '@orrery/kube/client'
import type { DynamicObject } from '@orrery/kube/discovery'
import type { SharedInformer } from '@orrery/kube/informer'
import { controllerOf } from '@orrery/kube/write'
import { isCurrentPod, isCurrentReplicaSet, isDeployment } from './workload.js'

const BY_CONTROLLER = 'controller'

type Meta = Pick<ApiObject, 'metadata'>

/** Called with the uid of the workload whose pods changed; undefined if it may be any. */
export type OnPods = (workload: string | undefined) => void

/** Watches the pods of a selector, and the ReplicaSets between them and Deployments. */
export class PodScope {
  readonly #informers: Informers
  readonly #pods: SharedInformer<Pod>
  readonly #replicaSets: SharedInformer<ApiObject>
  readonly #closing = new AbortController()
  readonly #unsubscribe: (() => void)[] = []

  constructor(informers: Informers, selection: Selection, onPods: OnPods) {
    this.#informers = informers
    this.#pods = informers.of(Pod, selection)
    this.#replicaSets = informers.metadataOf(ReplicaSet, selection)
    for (const informer of [this.#pods, this.#replicaSets]) informer.addIndex(BY_CONTROLLER, controllersOf)
    const { signal } = this.#closing
    void Promise.all([this.#pods.whenSynced(signal), this.#replicaSets.whenSynced(signal)]).then(
      () => {
        if (!signal.aborted) this.#follow(onPods)
      },
      () => undefined,
    )
  }

  /** Whether the first list is complete. */
  get synced(): boolean {
    return this.#pods.synced && this.#replicaSets.synced
  }

  /** The pods of the latest revision of a workload; undefined if that cannot be determined. */
  podsOf(workload: DynamicObject): readonly Pod[] | undefined {
    if (!isDeployment(workload)) {
      const pods = this.#pods.byIndex(BY_CONTROLLER, workload.metadata.uid)
      return pods.filter((pod) => isCurrentPod(workload, pod))
    }
    const replicaSets = this.#replicaSets.byIndex(BY_CONTROLLER, workload.metadata.uid)
    const current = replicaSets.find((replicaSet) => isCurrentReplicaSet(workload, replicaSet))
    return current && this.#pods.byIndex(BY_CONTROLLER, current.metadata.uid)
  }

  close(): void {
    this.#closing.abort()
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    void this.#informers.drop(this.#pods)
    void this.#informers.drop(this.#replicaSets)
  }

  #follow(onPods: OnPods): void {
    onPods(undefined)
    this.#unsubscribe.push(
      this.#pods.subscribe(({ before, after, initial }) => {
        if (!initial) this.#notify(after ?? before, onPods)
      }),
      this.#replicaSets.subscribe(({ before, after, initial }) => {
        const controller = controllerOf(after ?? before)
        if (!initial && controller !== undefined) onPods(controller.uid)
      }),
    )
  }

  /** A pod belongs to its controller, and if that is a ReplicaSet, also to the Deployment that controls it. */
  #notify(pod: Meta, onPods: OnPods): void {
    const controller = controllerOf(pod)
    if (controller === undefined) return
    onPods(controller.uid)
    const { namespace } = pod.metadata
    const replicaSet = this.#replicaSets.get({ name: controller.name, ...(namespace !== undefined && { namespace }) })
    const deployment = replicaSet && controllerOf(replicaSet)
    if (deployment !== undefined) onPods(deployment.uid)
  }
}

function controllersOf(object: Meta): readonly string[] {
  const controller = controllerOf(object)
  return controller === undefined ? [] : [controller.uid]
}
