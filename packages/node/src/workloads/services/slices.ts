import { type Draft, ownerReferenceTo, semanticEqual } from '@orrery/kube'
import { type Endpoint, type EndpointPort, type EndpointSlice, type IPFamily, Service } from '@orrery/kube/kinds'
import { type Backend, byPorts } from './backends.js'

export const SERVICE_NAME = 'kubernetes.io/service-name'
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
export const MANAGER = 'endpointslice-controller.k8s.io'
const HEADLESS = 'service.kubernetes.io/headless'

/** Small enough that a change is cheap to send to every node. */
const LARGEST_SLICE = 100

/** What to do about the slices of a service. */
export interface SlicePlan {
  readonly create: Draft<EndpointSlice>[]
  /** Slices as they are to be. */
  readonly update: EndpointSlice[]
  readonly remove: EndpointSlice[]
}

/** Fills slices so that as few as possible change: whoever is in one stays there, and gaps are filled before a new one. */
export function planSlices(
  service: Service,
  family: IPFamily,
  backends: readonly Backend[],
  known: readonly EndpointSlice[],
): SlicePlan {
  const left = new Set(known)
  const wanted = new Map<EndpointSlice, EndpointSlice>()
  const create: Draft<EndpointSlice>[] = []
  for (const { ports, backends: group } of byPorts(backends)) {
    const slices = known.filter((slice) => semanticEqual(slice.ports, ports))
    const { kept, fresh } = distribute(slices, endpointsOf(service, group))
    for (const [slice, endpoints] of kept) {
      if (endpoints.length === 0) continue
      left.delete(slice)
      wanted.set(slice, filled(slice, service, endpoints))
    }
    create.push(...fresh.map((endpoints) => newSlice(service, family, ports, endpoints)))
  }
  // A service that has nothing behind it says so in one slice.
  if (wanted.size === 0 && create.length === 0) {
    const [spare] = known
    if (spare === undefined) create.push(newSlice(service, family, [], []))
    else {
      left.delete(spare)
      wanted.set(spare, { ...filled(spare, service, []), ports: [] })
    }
  }
  const update = [...wanted].filter(([before, after]) => !semanticEqual(before, after)).map(([, after]) => after)
  return { create, update, remove: [...left] }
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
    staying.push(...rest.splice(0, LARGEST_SLICE - staying.length))
  }
  const fresh: Endpoint[][] = []
  while (rest.length > 0) fresh.push(rest.splice(0, LARGEST_SLICE))
  return { kept, fresh }
}

function keyOf({ addresses, targetRef }: Endpoint): string {
  return `${targetRef?.uid ?? ''}/${addresses.join()}`
}

function endpointsOf({ spec }: Service, backends: readonly Backend[]): Endpoint[] {
  return backends.map(({ pod, address, isReady, isTerminating, hostname }) => {
    const { name, namespace, uid } = pod.metadata
    const serving = isReady || spec?.publishNotReadyAddresses === true
    return {
      addresses: [address],
      conditions: {
        ready: spec?.publishNotReadyAddresses === true || (isReady && !isTerminating),
        serving,
        terminating: isTerminating,
      },
      targetRef: { kind: 'Pod', namespace, name, uid },
      ...(hostname !== undefined && { hostname }),
      ...(pod.spec.nodeName !== undefined && { nodeName: pod.spec.nodeName }),
    }
  })
}

function filled(slice: EndpointSlice, service: Service, endpoints: Endpoint[]): EndpointSlice {
  return { ...slice, metadata: { ...slice.metadata, labels: labelsOf(service) }, endpoints }
}

function newSlice(
  service: Service,
  addressType: IPFamily,
  ports: readonly EndpointPort[],
  endpoints: Endpoint[],
): Draft<EndpointSlice> {
  return {
    metadata: {
      namespace: service.metadata.namespace,
      generateName: `${service.metadata.name}-`,
      labels: labelsOf(service),
      ownerReferences: [ownerReferenceTo(service, Service, { controller: true })],
    },
    addressType,
    endpoints,
    ports: [...ports],
  }
}

function labelsOf({ metadata, spec }: Service): Record<string, string> {
  return {
    ...metadata.labels,
    [SERVICE_NAME]: metadata.name,
    [MANAGED_BY]: MANAGER,
    ...(spec?.clusterIP === 'None' && { [HEADLESS]: '' }),
  }
}
