import { isIP, isIPv6 } from 'node:net'
import {
  type Endpoint,
  type EndpointAddress,
  type EndpointSubset,
  Endpoints,
  type IPFamily,
  Service,
} from '@orrery/kinds'
import { type ControllerSpec, each, ownerReferenceTo } from '@orrery/kube'
import type { WorkloadContext } from '../context.js'
import { portsKeyOf } from './backends.js'
import { MANAGED_BY, SERVICE_NAME, SliceStore } from './slice-store.js'
import { type EndpointGroup, planSlices, type SliceHead } from './slices.js'

const MANAGER = 'endpointslicemirroring-controller.k8s.io'
const SKIP = 'endpointslice.kubernetes.io/skip-mirror'
const LEADER = 'control-plane.alpha.kubernetes.io/leader'
/** Annotations that are not mirrored. */
const OWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
])
const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6']

/** The EndpointSlice mirroring controller: mirrors manually managed Endpoints to EndpointSlices. */
export function endpointSliceMirroring(context: WorkloadContext): ControllerSpec {
  const services = context.informers.of(Service)
  const endpoints = context.informers.of(Endpoints)
  const slices = new SliceStore(context, MANAGER)

  return {
    name: 'endpointslicemirroring-controller',
    wakes: [
      each(endpoints),
      each(services),
      each(slices.informer, (slice) => {
        const { namespace, labels } = slice.metadata
        return slices.isOwn(slice) ? { namespace, name: labels?.[SERVICE_NAME] ?? '' } : undefined
      }),
    ],
    concurrency: 5,
    async reconcile(ref, run) {
      const written = endpoints.get(ref)
      const service = services.get(ref)
      const known = slices.of(ref)
      const isWanted = service !== undefined && service.spec?.selector === undefined
      if (written === undefined || !isWanted || !isMirrored(written)) return slices.remove(known, run)
      for (const family of FAMILIES) {
        const ofFamily = known.filter(({ addressType }) => addressType === family)
        await slices.apply(planSlices(headOf(written, family), groupsOf(written.subsets ?? [], family), ofFamily), run)
      }
    },
  }
}

function isMirrored({ metadata: { labels, annotations } }: Endpoints): boolean {
  return labels?.[SKIP] !== 'true' && annotations?.[LEADER] === undefined
}

function headOf(endpoints: Endpoints, addressType: IPFamily): SliceHead {
  const { namespace, name, labels, annotations = {} } = endpoints.metadata
  const copied = Object.entries(annotations).filter(([key]) => !OWN_ANNOTATIONS.has(key))
  return {
    namespace,
    name,
    addressType,
    labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: MANAGER },
    ...(copied.length > 0 && { annotations: Object.fromEntries(copied) }),
    owner: ownerReferenceTo(endpoints, Endpoints, { controller: true }),
    isKeptEmpty: false,
  }
}

/** Returns the addresses of a family, grouped by ports. */
function groupsOf(subsets: readonly EndpointSubset[], family: IPFamily): EndpointGroup[] {
  const groups = new Map<string, EndpointGroup & { readonly endpoints: Endpoint[] }>()
  for (const { addresses = [], notReadyAddresses = [], ports: written = [] } of subsets) {
    const ports = written.map(({ name = '', protocol = 'TCP', ...port }) => ({ name, protocol, ...port }))
    const portsKey = portsKeyOf(ports)
    const group = groups.get(portsKey) ?? { portsKey, ports: () => ports, endpoints: [] }
    groups.set(portsKey, group)
    const add = (all: readonly EndpointAddress[], ready: boolean) =>
      group.endpoints.push(
        ...all
          .filter(({ ip }) => isOf(family, ip))
          .map(({ ip, hostname, nodeName, targetRef }) => ({
            addresses: [ip],
            conditions: { ready },
            ...(hostname !== undefined && { hostname }),
            ...(nodeName !== undefined && { nodeName }),
            ...(targetRef !== undefined && { targetRef }),
          })),
      )
    add(addresses, true)
    add(notReadyAddresses, false)
  }
  return [...groups.values()].filter((group) => group.endpoints.length > 0)
}

function isOf(family: IPFamily, ip: string): boolean {
  return isIP(ip) !== 0 && isIPv6(ip) === (family === 'IPv6')
}
