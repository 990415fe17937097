import type { Draft, Endpoint, EndpointPort, EndpointSlice, IPFamily, OwnerReference } from '@orrery/kinds'
import { semanticEqual } from '@orrery/kube/write'
import { portsKeyOf } from './backends.js'

/** The upstream default (`max-endpoints-per-slice`): small enough to send changes to every node cheaply. */
const MAX_SLICE = 100

/** The changes to the slices of a service. */
export interface SlicePlan {
  readonly create: Draft<EndpointSlice>[]
  /** The slices after the update. */
  readonly update: EndpointSlice[]
  readonly remove: EndpointSlice[]
}

/** The common properties of all slices of one service and address family. */
export interface SliceHead {
  readonly namespace: string
  /** The name of the service. */
  readonly name: string
  readonly addressType: IPFamily
  readonly labels: Record<string, string>
  readonly annotations?: Record<string, string>
  readonly owner: OwnerReference
  /** Whether an empty slice is kept if there are no endpoints. */
  readonly isKeptEmpty: boolean
}

/** Endpoints with the same ports. */
export interface EndpointGroup {
  readonly portsKey: string
  readonly ports: () => readonly EndpointPort[]
  readonly endpoints: readonly Endpoint[]
}

/**
 * Distributes endpoints to slices with as few changes as possible: endpoints stay in their slice, and free places are
 * filled before a slice is added.
 */
export function planSlices(
  head: SliceHead,
  groups: readonly EndpointGroup[],
  known: readonly EndpointSlice[],
): SlicePlan {
  const left = new Set(known)
  const wanted = new Map<EndpointSlice, EndpointSlice>()
  const create: Draft<EndpointSlice>[] = []
  const knownByPorts = slicesByPorts(known)
  for (const { portsKey, ports, endpoints: group } of groups) {
    const slices = knownByPorts.get(portsKey) ?? []
    const { kept, fresh } = distribute(slices, group)
    for (const [slice, endpoints] of kept) {
      if (endpoints.length === 0) continue
      left.delete(slice)
      wanted.set(slice, filled(slice, head, endpoints))
    }
    create.push(...fresh.map((endpoints) => newSlice(head, ports(), endpoints)))
  }
  if (head.isKeptEmpty && wanted.size === 0 && create.length === 0) {
    const [spare] = known
    if (spare === undefined) create.push(newSlice(head, [], []))
    else {
      left.delete(spare)
      wanted.set(spare, { ...filled(spare, head, []), ports: [] })
    }
  }
  const update = [...wanted].filter(([before, after]) => !semanticEqual(before, after)).map(([, after]) => after)
  return { create, update, remove: [...left] }
}

const keys = new WeakMap<EndpointSlice, string>()

function slicesByPorts(slices: readonly EndpointSlice[]): ReadonlyMap<string, EndpointSlice[]> {
  const groups = new Map<string, EndpointSlice[]>()
  for (const slice of slices) {
    const key = keys.get(slice) ?? portsKeyOf(slice.ports ?? [])
    keys.set(slice, key)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [slice])
    else group.push(slice)
  }
  return groups
}

function distribute(slices: readonly EndpointSlice[], endpoints: readonly Endpoint[]) {
  const waiting = new Map(endpoints.map((endpoint) => [keyOf(endpoint), endpoint]))
  const kept = new Map<EndpointSlice, Endpoint[]>()
  for (const slice of slices) {
    const staying: Endpoint[] = []
    for (const before of slice.endpoints ?? []) {
      const now = waiting.get(keyOf(before))
      if (now === undefined) continue
      staying.push(now)
      waiting.delete(keyOf(before))
    }
    kept.set(slice, staying)
  }
  const rest = [...waiting.values()]
  for (const staying of [...kept.values()].filter((one) => one.length > 0 || rest.length > 0)) {
    staying.push(...rest.splice(0, MAX_SLICE - staying.length))
  }
  const fresh: Endpoint[][] = []
  while (rest.length > 0) fresh.push(rest.splice(0, MAX_SLICE))
  return { kept, fresh }
}

function keyOf({ addresses, targetRef }: Endpoint): string {
  return `${targetRef?.uid ?? ''}/${addresses.join()}`
}

function filled(slice: EndpointSlice, { labels, annotations }: SliceHead, endpoints: Endpoint[]): EndpointSlice {
  const metadata = { ...slice.metadata, labels, ...(annotations !== undefined && { annotations }) }
  return { ...slice, metadata, endpoints }
}

function newSlice(
  { namespace, name, addressType, labels, annotations, owner }: SliceHead,
  ports: readonly EndpointPort[],
  endpoints: Endpoint[],
): Draft<EndpointSlice> {
  return {
    metadata: {
      namespace,
      generateName: `${name}-`,
      labels,
      ...(annotations !== undefined && { annotations }),
      ownerReferences: [owner],
    },
    addressType,
    endpoints,
    ports: [...ports],
  }
}
