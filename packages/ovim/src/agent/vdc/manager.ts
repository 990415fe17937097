import { Namespace, ResourceQuota } from '@orrery/kinds/core'
import { parseQuantity, quantityToNumber } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import { type Informer, Informers } from '@orrery/kube/informer'
import type { Logger } from '@orrery/kube/log'
import { type ResourceMetrics, resourceMetrics, type VdcPhase, type VdcStatus } from '../../wire/index.js'
import { ChangeTimes } from '../lifecycle/change-times.js'
import { type Component, type ComponentHealth, HEALTHY } from '../lifecycle/component.js'
import { NAMESPACE_LABELS, WORKLOAD } from '../names.js'
import { QUOTA } from './objects.js'

export interface VdcManagerOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly log: Logger
  readonly onChange: (namespace: string) => void
}

interface Cache {
  readonly informers: Informers
  readonly namespaces: Informer<Namespace>
  readonly quotas: Informer<ResourceQuota>
}

/** Knows all data centers on the cluster and what they use, by watching their namespaces and quotas. */
export class VdcManager implements Component {
  readonly name = 'vdc-manager'
  readonly #options: VdcManagerOptions
  readonly #changes: ChangeTimes<VdcStatus>
  #cache: Cache | undefined

  constructor(options: VdcManagerOptions) {
    this.#options = options
    this.#changes = new ChangeTimes(options.clock)
  }

  async start(signal: AbortSignal): Promise<void> {
    const { client, clock, log, onChange } = this.#options
    const informers = new Informers(client, { clock, log })
    const namespaces = informers.of(Namespace, { labelSelector: `${NAMESPACE_LABELS.type}=${WORKLOAD}` })
    const quotas = informers.of(ResourceQuota, { fieldSelector: `metadata.name=${QUOTA}` })
    this.#cache = { informers, namespaces, quotas }
    const noted = (name: string) => {
      const namespace = namespaces.get({ name })
      if (this.#changes.note(name, namespace && this.#statusOf(namespace))) onChange(name)
    }
    namespaces.subscribe(({ after, before }) => noted((after ?? before)?.metadata.name ?? ''))
    quotas.subscribe(({ after, before }) => noted((after ?? before)?.metadata.namespace ?? ''))
    await informers.whenSynced(signal)
  }

  async stop(): Promise<void> {
    await this.#cache?.informers.close()
    this.#cache = undefined
  }

  health(): ComponentHealth {
    if (this.#cache?.namespaces.synced === true) return HEALTHY
    return { status: 'critical', message: 'the virtual data centers of the cluster are not known yet' }
  }

  list(): VdcStatus[] {
    const namespaces = this.#cache?.namespaces.list() ?? []
    return namespaces.map((namespace) => ({
      ...this.#statusOf(namespace),
      updated_at: this.#changes.of(namespace.metadata.name),
    }))
  }

  #statusOf(namespace: Namespace): VdcStatus {
    const { metadata } = namespace
    const labels = metadata.labels ?? {}
    const quota = this.#cache?.quotas.get({ namespace: metadata.name, name: QUOTA })
    const organization = labels[NAMESPACE_LABELS.organization]
    const message = messageOf(namespace)
    return {
      name: labels[NAMESPACE_LABELS.vdc] ?? metadata.name,
      namespace: metadata.name,
      status: phaseOf(namespace, quota),
      resource_usage: usageOf(quota),
      labels,
      created_at: metadata.creationTimestamp,
      updated_at: '',
      ...(organization !== undefined && { organization }),
      ...(message !== undefined && { message }),
    }
  }
}

function phaseOf(namespace: Namespace, quota: ResourceQuota | undefined): VdcPhase {
  if (namespace.metadata.deletionTimestamp !== undefined) {
    return messageOf(namespace) === undefined ? 'DeletionPending' : 'DeletionFailed'
  }
  return quota === undefined ? 'Pending' : 'Active'
}

/** Why the deletion of a namespace does not go on. */
function messageOf({ metadata, status }: Namespace): string | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined
  const failed = (status?.conditions ?? []).filter(({ type, status: value }) => {
    return value === 'True' && /Failure$/.test(type)
  })
  return failed.length === 0 ? undefined : failed.map(({ message }) => message ?? '').join('; ')
}

/** What a data center uses of its quota, as the quota controller counts it. */
function usageOf(quota: ResourceQuota | undefined): ResourceMetrics {
  const { used = {}, hard = {} } = quota?.status ?? {}
  const amount = (list: Readonly<Record<string, string>>, name: string, scale = 1) => {
    const text = list[name]
    return text === undefined ? 0 : Math.round(quantityToNumber(parseQuantity(text)) * scale)
  }
  return resourceMetrics({
    cpu_used: amount(used, 'requests.cpu', 1_000),
    cpu_capacity: amount(hard, 'requests.cpu', 1_000),
    memory_used: amount(used, 'requests.memory'),
    memory_capacity: amount(hard, 'requests.memory'),
    storage_used: amount(used, 'requests.storage'),
    storage_capacity: amount(hard, 'requests.storage'),
    pod_count: amount(used, 'pods'),
    vm_count: amount(used, 'count/virtualmachines.kubevirt.io'),
  })
}
