import type { KubeObject } from '@orrery/kinds'
import type { Finding } from '@orrery/kinds/values'
import { keyOf, refOf } from '@orrery/kinds/values'
import { isIpv6 } from '../kinds-rules/network.js'
import type { ResourceRef } from '../registry/internal.js'
import { type Controller, type ControllerContext, reconciler } from './controller.js'
import { createIfMissing } from './ensure.js'
import { withCondition } from './with-condition.js'

const group = 'networking.k8s.io'
const IP_ADDRESSES: ResourceRef = { group, resource: 'ipaddresses' }
const SERVICE_CIDRS: ResourceRef = { group, resource: 'servicecidrs' }
const MANAGED_BY = 'ipaddress.kubernetes.io/managed-by'
const MANAGER = 'ipallocator.k8s.io'
const DEFAULT = 'kubernetes'
const READY: Finding = {
  type: 'Ready',
  status: 'True',
  reason: '',
  message: 'Kubernetes default Service CIDR is ready',
}

/** Keeps an IPAddress for every Service address. */
export function serviceIpAddresses(context: ControllerContext): Controller {
  const { client, store } = context
  /** The key of the Service of each address. */
  const holders = new Map<string, string>()
  const hold = (namespace: string, name: string, service: KubeObject): readonly string[] => {
    const addresses = addressesOf(service)
    for (const ip of addresses) holders.set(ip, keyOf({ namespace, name }))
    return addresses
  }
  return reconciler(context, {
    name: 'service-ip-addresses',
    flowOf: (ip) => refOf(holders.get(ip) ?? ip).namespace ?? '',
    wakes: {
      services({ type, entry, previous }) {
        const before = previous === undefined ? [] : addressesOf(previous.object())
        for (const ip of before) holders.delete(ip)
        const after = type === 'DELETED' ? [] : hold(entry.namespace, entry.name, entry.object())
        return [...before, ...after].filter((ip) => before.includes(ip) !== after.includes(ip))
      },
      'ipaddresses.networking.k8s.io': ({ type, entry }) =>
        type === 'DELETED' && holders.has(entry.name) ? entry.name : undefined,
    },
    first() {
      for (const { namespace, name, object } of store
        .page({ bucket: 'services', namespace: undefined })
        .entries.map(located)) {
        hold(namespace, name, object)
      }
      return new Set([
        ...holders.keys(),
        ...store.page({ bucket: 'ipaddresses.networking.k8s.io', namespace: '' }).entries.map(({ name }) => name),
      ])
    },
    async reconcile(ip) {
      const holder = holders.get(ip)
      const existing = client.get(IP_ADDRESSES, '', ip)
      const isStale = existing?.metadata.labels?.[MANAGED_BY] === MANAGER && parentOf(existing) !== holder
      if (isStale) await client.delete(IP_ADDRESSES, '', ip)
      if (holder !== undefined) await createIfMissing(client, IP_ADDRESSES, addressObject(ip, holder))
    },
  })
}

function located(entry: { namespace: string; name: string; object(): KubeObject }) {
  return { namespace: entry.namespace, name: entry.name, object: entry.object() }
}

function addressesOf(service: KubeObject): readonly string[] {
  const { clusterIPs = [] } = (service.spec ?? {}) as { clusterIPs?: string[] }
  return clusterIPs.filter((ip) => ip !== 'None')
}

function parentOf(address: KubeObject): string {
  const { parentRef } = (address.spec ?? {}) as { parentRef?: { namespace?: string; name?: string } }
  return keyOf({ namespace: parentRef?.namespace, name: parentRef?.name ?? '' })
}

function addressObject(ip: string, holder: string): KubeObject {
  const { namespace = '', name } = refOf(holder)
  const labels = { 'ipaddress.kubernetes.io/ip-family': isIpv6(ip) ? 'IPv6' : 'IPv4', [MANAGED_BY]: MANAGER }
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name: ip, labels },
    spec: { parentRef: { resource: 'services', namespace, name } },
  }
}

/** Keeps the ServiceCIDR of Service addresses. */
export function defaultServiceCidr(context: ControllerContext): Controller {
  const { client, clock, serviceCidrs } = context
  return reconciler(context, {
    name: 'default-service-cidr',
    wakes: {
      'servicecidrs.networking.k8s.io': ({ type, entry }) =>
        type === 'DELETED' && entry.name === DEFAULT ? DEFAULT : undefined,
    },
    first: () => [DEFAULT],
    async reconcile() {
      await createIfMissing(client, SERVICE_CIDRS, {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'ServiceCIDR',
        metadata: { name: DEFAULT },
        spec: { cidrs: [...serviceCidrs] },
      })
      await client.change(SERVICE_CIDRS, '', DEFAULT, (live) => withCondition(live, READY, clock.now()), 'status')
    },
  })
}
