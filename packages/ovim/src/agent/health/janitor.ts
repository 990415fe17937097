import { Namespace, Secret } from '@orrery/kinds/core'
import type { KubeClient } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import { type Component, type ComponentHealth, HEALTHY } from '../lifecycle/component.js'
import { Periodic } from '../lifecycle/periodic.js'
import { MANAGED_BY_OVIM, NAMESPACE_LABELS, ORGANIZATION, SPOKE_AGENT, VM_LABELS } from '../names.js'
import { VirtualMachine } from '../vm/kinds.js'

const INTERVAL_MS = 600_000
/** Younger objects may belong to an operation in progress. */
const MIN_AGE_MS = 600_000

export interface JanitorOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Removes what interrupted operations have left: cloud-init Secrets whose machine was never created, and namespaces of
 * organizations without a data center.
 */
export class Janitor implements Component {
  readonly name = 'janitor'
  readonly #options: JanitorOptions
  readonly #cleaning: Periodic
  #problem = ''

  constructor(options: JanitorOptions) {
    this.#options = options
    this.#cleaning = new Periodic(
      options.clock,
      () => INTERVAL_MS,
      (signal) => this.#clean(signal),
    )
  }

  async start(): Promise<void> {
    this.#cleaning.start()
  }

  async stop(): Promise<void> {
    await this.#cleaning.stop()
  }

  health(): ComponentHealth {
    return this.#problem === '' ? HEALTHY : { status: 'warning', message: this.#problem }
  }

  async #clean(signal: AbortSignal): Promise<void> {
    try {
      await this.#cleanSecrets(signal)
      await this.#cleanOrganizations(signal)
      this.#problem = ''
    } catch (error) {
      if (signal.aborted) return
      this.#problem = `orphaned objects are not removed: ${(error as Error).message}`
      this.#options.log.warn('orphaned objects not removed', { error })
    }
  }

  async #cleanSecrets(signal: AbortSignal): Promise<void> {
    const { client, log } = this.#options
    const labelSelector = `${VM_LABELS.managedBy}=${MANAGED_BY_OVIM},${VM_LABELS.vmName}`
    const { items } = await client.list(Secret, { labelSelector, signal })
    for (const { metadata } of items) {
      const { namespace, name, uid } = metadata
      if ((metadata.ownerReferences ?? []).length > 0 || !this.#isOld(metadata.creationTimestamp)) continue
      const machine = { namespace, name: metadata.labels?.[VM_LABELS.vmName] ?? '' }
      if ((await client.find(VirtualMachine, machine, { signal })) !== undefined) continue
      await client.ensureDeleted(Secret, { namespace, name }, { preconditions: { uid }, signal })
      log.info('orphaned Secret removed', { namespace, name })
    }
  }

  async #cleanOrganizations(signal: AbortSignal): Promise<void> {
    const { client, log } = this.#options
    const { items } = await client.list(Namespace, {
      labelSelector: `${NAMESPACE_LABELS.managedBy}=${SPOKE_AGENT}`,
      signal,
    })
    const organizationOf = ({ metadata }: Namespace) => metadata.labels?.[NAMESPACE_LABELS.organization]
    const isOrganization = ({ metadata }: Namespace) => metadata.labels?.[NAMESPACE_LABELS.type] === ORGANIZATION
    const inUse = new Set(items.filter((namespace) => !isOrganization(namespace)).map(organizationOf))
    for (const namespace of items.filter(isOrganization)) {
      const { name, uid, creationTimestamp } = namespace.metadata
      if (inUse.has(organizationOf(namespace)) || !this.#isOld(creationTimestamp)) continue
      await client.ensureDeleted(Namespace, { name }, { preconditions: { uid }, signal })
      log.info('namespace of an organization without data centers removed', { name })
    }
  }

  #isOld(creationTimestamp: string): boolean {
    return this.#options.clock.now().getTime() - Date.parse(creationTimestamp) >= MIN_AGE_MS
  }
}
