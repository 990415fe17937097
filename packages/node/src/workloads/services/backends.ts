import { createHash } from 'node:crypto'
import type { EndpointPort, IPFamily, Pod, Service } from '@orrery/kinds'
import { noLabels } from '@orrery/kinds/values'
import { isBeingDeleted } from '@orrery/kube'
import { isFinished, isReady } from '../podstate.js'
import { mapSelectorOf } from '../selectors.js'

/** The label of the endpoints of a headless service. */
export const HEADLESS = 'service.kubernetes.io/headless'

/** A pod of a service at one of its addresses. */
export interface Backend {
  readonly pod: Pod
  readonly address: string
  /** The service's ports resolved for this pod: computed for each access, since there can be thousands for each pod. */
  readonly ports: readonly EndpointPort[]
  /** Equal for pods with equal ports. */
  readonly portsKey: string
  readonly portCount: number
  readonly isReady: boolean
  readonly isTerminating: boolean
  /** The hostname of the pod within the service. */
  readonly hostname: string | undefined
}

/** Returns whether a service has a selector, so that its endpoints are not managed manually. */
export function isSelecting({ spec }: Service): boolean {
  return spec?.type !== 'ExternalName' && mapSelectorOf(spec?.selector) !== noLabels
}

export function selects({ spec }: Service, { metadata }: Pod): boolean {
  return mapSelectorOf(spec?.selector).matches(metadata.labels)
}

/** Returns the pods of a service with their addresses of a family, sorted by name. */
export function backendsOf(service: Service, pods: readonly Pod[], family: IPFamily): Backend[] {
  const backends: Backend[] = []
  for (const pod of pods) {
    if (isFinished(pod) || !selects(service, pod)) continue
    const address = addressOf(pod, family)
    if (address === undefined) continue
    const { hostname, subdomain } = pod.spec
    backends.push({
      pod,
      address,
      get ports() {
        return portsOf(service, pod)
      },
      ...portSummary(service, pod),
      isReady: isReady(pod),
      isTerminating: isBeingDeleted(pod),
      hostname: subdomain === service.metadata.name && hostname !== '' ? hostname : undefined,
    })
  }
  return backends.sort((a, b) => (a.pod.metadata.name < b.pod.metadata.name ? -1 : 1))
}

function addressOf({ status }: Pod, family: IPFamily): string | undefined {
  const addresses = status?.podIPs?.map(({ ip }) => ip) ?? [status?.podIP]
  return addresses.find((ip) => ip !== undefined && ip !== '' && ip.includes(':') === (family === 'IPv6'))
}

/** A named port can have a different number in each pod; pods without such a port do not have it. */
function portsOf({ spec }: Service, pod: Pod): EndpointPort[] {
  const named = namedPorts(pod)
  return (spec?.ports ?? []).flatMap(({ name, protocol = 'TCP', port, targetPort, appProtocol }) => {
    const target = targetPort ?? port
    const number = typeof target === 'number' ? target : named.get(portKey(target, protocol))
    if (number === undefined) return []
    return [{ name: name ?? '', protocol, port: number, ...(appProtocol !== undefined && { appProtocol }) }]
  })
}

type PortSummary = Pick<Backend, 'portsKey' | 'portCount'>

const summaries = new WeakMap<Service, WeakMap<Pod, PortSummary>>()

/** Kept as long as neither the service nor the pod changes: each change of a pod syncs the service with all its pods. */
function portSummary(service: Service, pod: Pod): PortSummary {
  let ofService = summaries.get(service)
  if (ofService === undefined) {
    ofService = new WeakMap()
    summaries.set(service, ofService)
  }
  let summary = ofService.get(pod)
  if (summary === undefined) {
    const ports = portsOf(service, pod)
    summary = { portsKey: portsKeyOf(ports), portCount: ports.length }
    ofService.set(pod, summary)
  }
  return summary
}

/** Returns a text that is equal for equal ports. */
export function portsKeyOf(ports: readonly EndpointPort[]): string {
  const text = ports.map(({ name = '', protocol = 'TCP', port, appProtocol }) => [name, protocol, port, appProtocol])
  return createHash('md5').update(JSON.stringify(text)).digest('base64')
}

const portsByPod = new WeakMap<Pod, ReadonlyMap<string, number>>()

/** The ports of a pod by name and protocol. The first of a name counts. Both a pod and a service can have thousands. */
function namedPorts(pod: Pod): ReadonlyMap<string, number> {
  const known = portsByPod.get(pod)
  if (known !== undefined) return known
  const { containers, initContainers = [] } = pod.spec
  const ports = new Map<string, number>()
  for (const container of [
    ...containers,
    ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always'),
  ]) {
    for (const { name, protocol = 'TCP', containerPort } of container.ports ?? []) {
      if (name === undefined) continue
      const key = portKey(name, protocol)
      if (!ports.has(key)) ports.set(key, containerPort)
    }
  }
  portsByPod.set(pod, ports)
  return ports
}

function portKey(name: string, protocol: string): string {
  return `${protocol}/${name}`
}

/** Groups backends by equal ports, in the order of their first occurrence. */
export function byPorts(backends: readonly Backend[]): [Backend, ...Backend[]][] {
  const groups = new Map<string, [Backend, ...Backend[]]>()
  for (const backend of backends) {
    const group = groups.get(backend.portsKey)
    if (group === undefined) groups.set(backend.portsKey, [backend])
    else group.push(backend)
  }
  return [...groups.values()]
}
