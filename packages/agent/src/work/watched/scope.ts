import type { Kind, ObjectRef } from '@orrery/kinds'
import { escapeFieldValue } from '@orrery/kinds/values'
import type { Informer, Informers } from '@orrery/kube'
import type { Selection } from '@orrery/kube/client'
import type { DynamicObject } from '@orrery/kube/discovery'

/** The objects of a resource that one watch covers: a single one, a namespace, or all. */
export type Extent =
  | { readonly type: 'object'; readonly namespace: string; readonly name: string }
  | { readonly type: 'namespace'; readonly namespace: string }
  | { readonly type: 'all' }

/** A key for an extent. */
export function extentKey(extent: Extent): string {
  if (extent.type === 'all') return '*'
  return extent.type === 'namespace' ? `${extent.namespace}/*` : `${extent.namespace}/${extent.name}`
}

export interface ScopeOptions {
  readonly informers: Informers
  readonly kind: Kind<DynamicObject, object>
  readonly onChange: (ref: ObjectRef, before: DynamicObject | undefined, after: DynamicObject | undefined) => void
  readonly onSynced: () => void
}

/** One watch of the cluster. */
export class Scope {
  readonly extent: Extent
  readonly #informers: Informers
  readonly #informer: Informer<DynamicObject> & { readonly health: { readonly lastError: Error | undefined } }
  readonly #closing = new AbortController()
  #unsubscribe: () => void = () => undefined

  constructor(extent: Extent, { informers, kind, onChange, onSynced }: ScopeOptions) {
    this.extent = extent
    this.#informers = informers
    const informer = informers.of(kind, selectionOf(extent))
    this.#informer = informer
    void informer.whenSynced(this.#closing.signal).then(
      () => {
        if (this.#closing.signal.aborted) return
        this.#unsubscribe = informer.subscribe((change) => {
          // The user of the scope handles the objects of the first list.
          if (change.type === 'added' && change.initial) return
          onChange((change.after ?? change.before).metadata, change.before, change.after)
        })
        onSynced()
      },
      () => undefined,
    )
  }

  get synced(): boolean {
    return this.#informer.synced
  }

  get failure(): Error | undefined {
    return this.synced ? undefined : this.#informer.health.lastError
  }

  get(ref: ObjectRef): DynamicObject | undefined {
    return this.#informer.get(ref)
  }

  close(): Promise<void> {
    this.#closing.abort()
    this.#unsubscribe()
    return this.#informers.drop(this.#informer as unknown as { close(): Promise<void> })
  }
}

function selectionOf(extent: Extent): Selection {
  if (extent.type === 'all') return {}
  const namespace = extent.namespace === '' ? undefined : extent.namespace
  if (extent.type === 'namespace') return { namespace }
  return { namespace, fieldSelector: `metadata.name=${escapeFieldValue(extent.name)}` }
}
