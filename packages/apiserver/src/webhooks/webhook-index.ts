import type { ChangeFeed } from '../store/change-feed.js'
import type { Store } from '../store/types.js'
import { type Webhook, webhooksOf } from './webhook.js'

/** All webhooks of one kind, in order: by the name of their configuration, then as listed there. */
export class WebhookIndex {
  readonly #byConfiguration = new Map<string, readonly Webhook[]>()
  #ordered: readonly Webhook[] = []

  constructor(store: Store, feed: ChangeFeed, kind: 'mutating' | 'validating') {
    const bucket = `${kind}webhookconfigurations.admissionregistration.k8s.io`
    for (const entry of store.page({ bucket, namespace: '' }).entries) {
      this.#byConfiguration.set(entry.name, webhooksOf(entry.object()))
    }
    this.#order()
    feed.on(bucket, ({ type, entry }) => {
      if (type === 'DELETED') this.#byConfiguration.delete(entry.name)
      else this.#byConfiguration.set(entry.name, webhooksOf(entry.object()))
      this.#order()
    })
  }

  get webhooks(): readonly Webhook[] {
    return this.#ordered
  }

  #order(): void {
    const names = [...this.#byConfiguration.keys()].sort()
    this.#ordered = names.flatMap((name) => this.#byConfiguration.get(name) ?? [])
  }
}
