import type { CoreEndpointPort, EndpointAddress, EndpointSubset, Service } from '@orrery/kinds'
import { type Backend, byPorts } from './backends.js'

/** The most addresses and ports together. The API server refuses objects with more items. */
export const MOST_ITEMS = 100_000

/**
 * Returns the subsets of an Endpoints object: ready and not ready addresses, grouped by ports. Returns undefined if
 * they are too many for one object.
 */
export function subsetsOf({ spec }: Service, backends: readonly Backend[]): EndpointSubset[] | undefined {
  const isPublishingAll = spec?.publishNotReadyAddresses === true
  const hasPorts = (spec?.ports ?? []).length > 0
  const shown = backends.filter(
    // A pod with none of the ports is unreachable; a service without ports lists only addresses.
    ({ isTerminating, portCount }) => (!isTerminating || isPublishingAll) && (!hasPorts || portCount > 0),
  )
  const groups = byPorts(shown)
  if (groups.reduce((sum, [{ portCount }]) => sum + portCount, shown.length) > MOST_ITEMS) return undefined
  return groups.map((group) => {
    const [{ ports }] = group
    const ready = group.filter(({ isReady }) => isReady || isPublishingAll).map(addressFor)
    const unready = group.filter(({ isReady }) => !isReady && !isPublishingAll).map(addressFor)
    return {
      ...(ready.length > 0 && { addresses: ready.sort(byIp) }),
      ...(unready.length > 0 && { notReadyAddresses: unready.sort(byIp) }),
      ...(ports.length > 0 && { ports: ports.map(plainPort) }),
    }
  })
}

function addressFor({ pod, address, hostname }: Backend): EndpointAddress {
  const { name, namespace, uid } = pod.metadata
  return {
    ip: address,
    ...(hostname !== undefined && { hostname }),
    ...(pod.spec.nodeName !== undefined && { nodeName: pod.spec.nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  }
}

function plainPort({ name = '', port = 0, protocol = 'TCP', appProtocol }: Backend['ports'][number]): CoreEndpointPort {
  return { ...(name !== '' && { name }), port, protocol, ...(appProtocol !== undefined && { appProtocol }) }
}

function byIp(a: EndpointAddress, b: EndpointAddress): number {
  return a.ip < b.ip ? -1 : a.ip > b.ip ? 1 : 0
}
