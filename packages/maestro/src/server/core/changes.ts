import type { ObjectMeta } from '@orrery/kinds'
import type { Bundle, BundleStatus } from '../store/bundle.js'

/** What an agent has to know about a bundle. */
export interface SpecChange {
  readonly id: string
  readonly consumerName: string
  /** The version of the bundle, or of the work of the agent if the bundle does not exist. */
  readonly version: number
  /** Undefined if the bundle does not exist: the agent deletes the work. */
  readonly bundle: Bundle | undefined
  /** Whether it is the first version. */
  readonly isNew: boolean
}

/** What a source has to know about a bundle. */
export interface StatusChange {
  readonly id: string
  readonly source: string
  /** With a status. */
  readonly bundle: Bundle
  /** The work is gone from its cluster, and the bundle from the server. */
  readonly isRemoved: boolean
}

export function specChangeOf(bundle: Bundle, isNew = false): SpecChange {
  const { id, consumerName, version } = bundle
  return { id, consumerName, version, bundle, isNew }
}

export function statusChangeOf(bundle: Bundle, isRemoved: boolean): StatusChange {
  return { id: bundle.id, source: bundle.source, bundle, isRemoved }
}

/** Of removed bundles, so that the subscribers of a source share them. */
const compacted = new WeakMap<Bundle, Bundle>()

/** The removal of a bundle with what names it only: the bundle cannot be read again. */
export function compactRemoval(change: StatusChange): StatusChange {
  const { bundle } = change
  const compact = compacted.get(bundle) ?? compactBundle(bundle)
  compacted.set(bundle, compact)
  return { ...change, bundle: compact }
}

function compactBundle({ deleteOption: _, manifestConfigs: __, executer: ___, ...bundle }: Bundle): Bundle {
  const { name, namespace, uid, labels } = JSON.parse(bundle.metadata.toString('utf8')) as ObjectMeta
  const { resourceStatus: ____, ...status } = bundle.status ?? {}
  return {
    ...bundle,
    metadata: Buffer.from(JSON.stringify({ name, namespace, uid, labels })),
    manifests: NO_MANIFESTS,
    ...(bundle.status !== undefined && { status: status as BundleStatus }),
  }
}

const NO_MANIFESTS = Buffer.from('[]')

export const isDeletion = ({ bundle }: SpecChange): boolean => bundle === undefined || bundle.deletedAt !== undefined

/** Whether `change` says more than `other` about the same bundle. A deletion is final. */
export function isNewerSpec(change: SpecChange, other: SpecChange): boolean {
  if (isDeletion(change) !== isDeletion(other)) return isDeletion(change)
  return change.version >= other.version
}

export function isNewerStatus(change: StatusChange, other: StatusChange): boolean {
  if (change.isRemoved !== other.isRemoved) return change.isRemoved
  const [a, b] = [change.bundle.status, other.bundle.status]
  return a === undefined || b === undefined || compareStatus(a, b) >= 0
}

export type StatusOrder = Pick<BundleStatus, 'observedVersion' | 'sequenceId'>

/** By the version that the status is about, then by its sequence. */
export function compareStatus(a: StatusOrder, b: StatusOrder): number {
  if (a.observedVersion !== b.observedVersion) return a.observedVersion - b.observedVersion
  const [first, second] = [BigInt(a.sequenceId), BigInt(b.sequenceId)]
  return first < second ? -1 : first > second ? 1 : 0
}

/** The memory that a bundle takes. */
export function sizeOf({ metadata, manifests, manifestConfigs, status }: Bundle): number {
  const parts = [metadata, manifests, manifestConfigs, status?.conditions, status?.resourceStatus]
  return parts.reduce((sum, part) => sum + (part?.length ?? 0), 500)
}
