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

/** What the server's own controllers work with. */
export interface ControllerContext {
  readonly client: InternalClient
  readonly store: Store
  readonly catalog: Catalog
  readonly feed: ChangeFeed
  readonly clock: Clock
  readonly log: Logger
  /** The same that admission keeps to. */
  readonly quotas: QuotaLedger
  /** Signs certificates, and is what pods trust the server by. */
  readonly authority: Authority
  /** What servers behind this one know its requests by. */
  readonly frontProxyAuthority: Pick<Authority, 'certificatePem'>
  readonly tokenSigner: TokenSigner
  /**
   * Where workloads reach the server: the endpoint of the `kubernetes` Service. Undefined when they cannot. Never a
   * loopback address, which endpoints may not have.
   */
  readonly address: { readonly ip: string; readonly port: number } | undefined
  /** The address of the `kubernetes` Service. */
  readonly serviceIp: string
  /** The networks that addresses of Services come from. */
  readonly serviceCidrs: readonly string[]
  /** How long a namespace that is being deleted keeps its content. */
  readonly namespaceDeletionGraceSeconds: number
  /** Group-versions that are served without being in the catalog. */
  readonly embeddedGroupVersions: readonly { readonly group: string; readonly version: string }[]
}

/** Something that keeps a part of the state true for as long as it runs. */
export interface Controller {
  readonly name: string
  start(): void
  /** Resolves when what was there at the start has been looked at once. */
  ready(): Promise<void>
  /** Resolves when nothing is being done any more. */
  stop(): Promise<void>
}

/** Says which keys a change touches: one, several or none. */
export type KeysOf = (change: Change) => string | readonly string[] | undefined

export interface ReconcilerOptions {
  readonly name: string
  /** What wakes the controller, by bucket. */
  readonly wakes: Readonly<Record<string, KeysOf>>
  /** Looks at every change, for controllers of objects of any kind. Must be cheap. */
  readonly wakesOnEvery?: KeysOf
  /** The keys to look at when the controller starts. */
  readonly first: () => Iterable<string>
  readonly reconcile: Reconcile
  readonly concurrency?: number
  /** Further subscriptions, which add keys as they please. Returns the way to stop. */
  readonly follow?: (add: (key: string) => void) => () => void
}

/** A controller that reconciles keys, woken by changes of the store. */
export function reconciler(context: ControllerContext, options: ReconcilerOptions): Controller {
  const { clock, feed } = context
  const { name, wakes, wakesOnEvery, reconcile, concurrency } = options
  const log = context.log.child(name)
  const worker = new Worker({ clock, log, reconcile, ...(concurrency !== undefined && { concurrency }) })
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

/** The key of an object: its name, after its namespace if it has one. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`
}

export function parseKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf('/')
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

/** The key of the object that changed. */
export const changedKey: KeysOf = ({ entry }) => keyOf(entry.namespace, entry.name)

/** The keys of all objects of a bucket. */
export function* allKeys(store: Store, bucket: string): Iterable<string> {
  for (const { namespace, name } of store.page({ bucket, namespace: undefined }).entries) yield keyOf(namespace, name)
}
