import { Node } from '@orrery/kinds/core'
import { StorageClass } from '@orrery/kinds/storage'
import { jsonEqual } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import type { TemplateRecord, TemplateSync, VmCreateRequest } from '../../wire/index.js'
import { OperationError } from '../execution/operation-error.js'
import type { HubClient } from '../hub/hub-client.js'
import { HubError } from '../hub/hub-error.js'
import { type Component, type ComponentHealth, HEALTHY } from '../lifecycle/component.js'
import { sizeOf } from '../vm/build.js'
import { type ClusterOffer, incompatibilities } from './compatibility.js'
import { type TemplateStore, templateKey } from './template-store.js'

export interface TemplateManagerOptions {
  readonly client: KubeClient
  readonly hub: Pick<HubClient, 'templates'>
  readonly store: TemplateStore
  readonly clock: Clock
  readonly log: Logger
  readonly isEnabled: () => boolean
}

export interface SyncOutcome {
  readonly synced: number
  readonly removed: number
  /** Templates that this cluster cannot run, with the reasons. */
  readonly incompatible: Readonly<Record<string, string>>
}

const OFFER_MS = 10_000

/** The templates of the hub on this cluster: synchronized, cached, and checked against what the cluster offers. */
export class TemplateManager implements Component {
  readonly name = 'template-manager'
  readonly #options: TemplateManagerOptions
  readonly #templates = new Map<string, TemplateRecord>()
  #offered: { readonly offer: ClusterOffer; readonly until: number } | undefined

  constructor(options: TemplateManagerOptions) {
    this.#options = options
  }

  async start(signal: AbortSignal): Promise<void> {
    for (const template of await this.#options.store.load(signal)) this.#templates.set(templateKey(template), template)
  }

  async stop(): Promise<void> {
    this.#templates.clear()
  }

  health(): ComponentHealth {
    return HEALTHY
  }

  list(): TemplateRecord[] {
    return [...this.#templates.values()]
  }

  /** Takes over the templates of a TemplateSync; without a list, those of the hub. */
  async sync(sync: TemplateSync | undefined, signal: AbortSignal): Promise<SyncOutcome> {
    if (!this.#options.isEnabled()) {
      const message = 'template synchronization is switched off: set OVIM_FEATURE_TEMPLATE_SYNC to true'
      throw new OperationError('FeatureDisabled', message)
    }
    const { templates, full = true } = sync ?? { templates: await this.#options.hub.templates(signal) }
    const syncedAt = this.#options.clock.now().toISOString()
    for (const template of templates) await this.#keep({ ...template, synced_at: syncedAt }, signal)
    const removed = full ? await this.#removeAllBut(new Set(templates.map(templateKey)), signal) : 0
    const offer = await this.#offer(signal)
    const incompatible = templates.flatMap((template) => {
      const size = sizeOf({ name: '', namespace: '', template_name: template.name }, template)
      const problems = incompatibilities(template, size, offer)
      return problems.length === 0 ? [] : [[templateKey(template), problems.join('; ')]]
    })
    return {
      synced: templates.length,
      removed,
      incompatible: Object.fromEntries(incompatible) as Record<string, string>,
    }
  }

  /** Forgets all templates in memory and on the cluster. */
  async clear(signal: AbortSignal): Promise<void> {
    await this.#removeAllBut(new Set(), signal)
  }

  /** The template of a request, if the cluster can run it. Throws an `OperationError`. */
  async resolve(request: VmCreateRequest, signal: AbortSignal): Promise<TemplateRecord> {
    const template = request.template ?? this.#find(request.template_name) ?? (await this.#fetch(request, signal))
    const problems = incompatibilities(template, sizeOf(request, template), await this.#offer(signal))
    if (problems.length === 0) return template
    const message = `template "${request.template_name}" cannot run on this cluster: ${problems.join('; ')}`
    throw new OperationError('TemplateIncompatible', message)
  }

  /** By `namespace/name`, or by the name alone if only one template has it. */
  #find(name: string): TemplateRecord | undefined {
    const exact = this.#templates.get(name)
    if (exact !== undefined) return exact
    const named = this.list().filter((template) => template.name === name)
    return named.length === 1 ? named[0] : undefined
  }

  /** The hub may have a template that was not synchronized yet. */
  async #fetch({ template_name }: VmCreateRequest, signal: AbortSignal): Promise<TemplateRecord> {
    let reason = ''
    if (this.#options.isEnabled()) {
      try {
        for (const template of await this.#options.hub.templates(signal)) await this.#keep(template, signal)
      } catch (error) {
        if (!(error instanceof HubError)) throw error
        reason = ` (${error.message})`
      }
    }
    const found = this.#find(template_name)
    if (found !== undefined) return found
    const message = `template "${template_name}" does not exist${reason}: choose another template, or synchronize templates`
    throw new OperationError('TemplateNotFound', message)
  }

  async #keep(template: TemplateRecord, signal: AbortSignal): Promise<void> {
    const key = templateKey(template)
    const { synced_at: _, ...known } = this.#templates.get(key) ?? ({} as TemplateRecord)
    const { synced_at: __, ...wanted } = template
    if (jsonEqual(known, wanted)) return
    await this.#options.store.write(template, signal)
    this.#templates.set(key, template)
  }

  async #removeAllBut(keys: ReadonlySet<string>, signal: AbortSignal): Promise<number> {
    const old = [...this.#templates].filter(([key]) => !keys.has(key))
    for (const [key, template] of old) {
      await this.#options.store.delete(template, signal)
      this.#templates.delete(key)
    }
    return old.length
  }

  /** Nodes change rarely: many machines that are created together are checked against one list. */
  async #offer(signal: AbortSignal): Promise<ClusterOffer> {
    const { client, clock } = this.#options
    if (this.#offered !== undefined && clock.elapsed() < this.#offered.until) return this.#offered.offer
    const [nodes, classes] = await Promise.all([client.list(Node, { signal }), client.list(StorageClass, { signal })])
    const offer = { nodes: nodes.items, storageClasses: classes.items.map(({ metadata }) => metadata.name) }
    this.#offered = { offer, until: clock.elapsed() + OFFER_MS }
    return offer
  }
}
