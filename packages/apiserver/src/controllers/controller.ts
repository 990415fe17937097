import { keyOf } from '@orrery/kinds/values'
import type { Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { Authority } from '@orrery/kube/pki'
import type { QuotaLedger } from '../admission-plugins/quota/ledger.js'
import type { TokenSigner } from '../authn/jwt.js'
import type { Catalog } from '../registry/catalog.js'
import type { InternalClient } from '../registry/internal.js'
import type { ChangeFeed } from '../store/change-feed.js'
import type { Change, Store } from '../store/types.js'
import { type Reconcile, Worker } from './worker.js'

/** The dependencies of the controllers of the server. */
export interface ControllerContext {
  readonly client: InternalClient
  readonly store: Store
  readonly catalog: Catalog
  readonly feed: ChangeFeed
  readonly clock: Clock
  readonly log: Logger
  /** The same ledger that admission uses. */
  readonly quotas: QuotaLedger
  /** The CA of the cluster: it signs certificates, and pods verify the server with it. */
  readonly authority: Authority
  /** The front proxy CA. */
  readonly frontProxyAuthority: Pick<Authority, 'certificatePem'>
  readonly tokenSigner: TokenSigner
  /**
   * The endpoint of the `kubernetes` Service. Undefined if there is none. Never a loopback address, which endpoints
   * must not have.
   */
  readonly address: { readonly ip: string; readonly port: number } | undefined
  /** The address of the `kubernetes` Service. */
  readonly serviceIp: string
  /** The networks of Service addresses. */
  readonly serviceCidrs: readonly string[]
  /** How long a namespace that is being deleted keeps its content. */
  readonly namespaceDeletionGraceSeconds: number
  /** Group versions of the embedding program, which are not in the catalog. */
  readonly embeddedGroupVersions: readonly { readonly group: string; readonly version: string }[]
}

/** A controller. */
export interface Controller {
  readonly name: string
  start(): void
  /** Resolves after all objects were reconciled once. */
  ready(): Promise<void>
  /** Resolves when no work is in progress. */
  stop(): Promise<void>
}

/** Returns the keys that a change affects: one, several or none. */
export type KeysOf = (change: Change) => string | readonly string[] | undefined

export interface ReconcilerOptions {
  readonly name: string
  /** The buckets that wake the controller. */
  readonly wakes: Readonly<Record<string, KeysOf>>
  /** Called for every change, for controllers of all kinds. Must be cheap. */
  readonly wakesOnEvery?: KeysOf
  /** The keys to reconcile at the start. */
  readonly first: () => Iterable<string>
  readonly reconcile: Reconcile
  readonly concurrency?: number
  /** Keys of different flows take turns. Defaults to the namespace of a key `namespace/name`. */
  readonly flowOf?: (key: string) => string
  /** Further subscriptions that add keys. Returns a function that stops them. */
  readonly follow?: (add: (key: string) => void) => () => void
}

/** Returns a controller that reconciles keys, woken by changes of the store. */
export function reconciler(context: ControllerContext, options: ReconcilerOptions): Controller {
  const { clock, feed } = context
  const { name, wakes, wakesOnEvery, reconcile, concurrency, flowOf } = options
  const log = context.log.child(name)
  const worker = new Worker({
    clock,
    log,
    reconcile,
    ...(concurrency !== undefined && { concurrency }),
    ...(flowOf !== undefined && { flowOf }),
  })
  const stops: (() => void)[] = []
  let ready = Promise.resolve()
  const wake = (keysOf: KeysOf) => (change: Change) => {
    const keys = keysOf(change)
    if (keys === undefined) return
    if (typeof keys === 'string') worker.add(keys)
    else for (const key of keys) worker.add(key)
  }
  return {
    name,
    start() {
      for (const [bucket, keysOf] of Object.entries(wakes)) stops.push(feed.on(bucket, wake(keysOf)))
      if (wakesOnEvery !== undefined) stops.push(feed.onEvery(wake(wakesOnEvery)))
      if (options.follow !== undefined) stops.push(options.follow((key) => worker.add(key)))
      ready = worker.addFirst(options.first())
    },
    ready: () => ready,
    async stop() {
      for (const stop of stops.splice(0)) stop()
      await worker.stop()
    },
  }
}

/** The key of the changed object. */
export const changedKey: KeysOf = ({ entry }) => keyOf(entry)

/** Returns the keys of all objects of a bucket. */
export function* allKeys(store: Store, bucket: string): Iterable<string> {
  for (const entry of store.page({ bucket, namespace: undefined }).entries) yield keyOf(entry)
}
