import type { KubeObject } from '@orrery/kinds'
import type { Column } from '../kinds/resource.js'
import { AGE, column, nameColumn, wide } from './column.js'
import { dig, type Fields, fieldsOf, integer, itemsOf, sizeOf, spec, status, text, textOr, textsOf } from './fields.js'
import { firstFew, labelsText, selectorTextOrNone } from './format.js'

const SHOWN = 3

export const SERVICE_COLUMNS: readonly Column[] = [
  column('Type', 'The type of the service.', (object) => text(spec(object).type)),
  column('Cluster-IP', 'Internal address.', (object) => textsOf(spec(object).clusterIPs)[0] ?? '<none>'),
  column('External-IP', 'External addresses.', externalAddress),
  column(
    'Port(s)',
    'Ports the service listens on.',
    (object) => itemsOf(spec(object).ports).map(portText).join(',') || '<none>',
  ),
  AGE,
  wide(column('Selector', 'The selector of its pods.', (object) => labelsText(spec(object).selector))),
]

export const ENDPOINTS_COLUMNS: readonly Column[] = [
  column('Endpoints', 'Addresses of the endpoints.', (object) => {
    const subsets = itemsOf(object.subsets)
    return subsets.length === 0 ? '<none>' : firstFew(subsets.flatMap(subsetAddresses), SHOWN)
  }),
  AGE,
]

export const ENDPOINT_SLICE_COLUMNS: readonly Column[] = [
  column('AddressType', 'The address type.', (object) => text(object.addressType)),
  column(
    'Ports',
    'Ports of the endpoints.',
    (object) => firstFew(itemsOf(object.ports).map(slicePort), SHOWN) || '<unset>',
  ),
  column('Endpoints', 'Addresses of the endpoints.', (object) => {
    const addresses = itemsOf(object.endpoints).flatMap((endpoint) => textsOf(endpoint.addresses))
    return firstFew(addresses, SHOWN) || '<unset>'
  }),
  AGE,
]

export const INGRESS_COLUMNS: readonly Column[] = [
  column('Class', 'The class of the ingress.', (object) => {
    const name = spec(object).ingressClassName
    return typeof name === 'string' ? name : '<none>'
  }),
  column('Hosts', 'The hosts of its rules.', ingressHosts),
  column('Address', 'The addresses of the load balancer.', (object) => loadBalancerAddresses(object).join(',')),
  column('Ports', 'Ports it listens on.', (object) => (sizeOf(spec(object).tls) === 0 ? '80' : '80, 443')),
  AGE,
]

export const INGRESS_CLASS_COLUMNS: readonly Column[] = [
  nameColumn((object) => {
    const isDefault = object.metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true'
    return `${object.metadata.name ?? ''}${isDefault ? ' (default)' : ''}`
  }),
  column('Controller', 'The controller of the class.', (object) => text(spec(object).controller)),
  column('Parameters', 'An object with parameters.', (object) => {
    const { parameters } = spec(object)
    if (parameters === undefined) return '<none>'
    const { kind, apiGroup, name } = fieldsOf(parameters)
    return `${text(kind)}${typeof apiGroup === 'string' ? `.${apiGroup}` : ''}/${text(name)}`
  }),
  AGE,
]

export const NETWORK_POLICY_COLUMNS: readonly Column[] = [
  column('Pod-Selector', 'The selector of its pods.', (object) => selectorTextOrNone(spec(object).podSelector)),
  AGE,
]

export const SERVICE_CIDR_COLUMNS: readonly Column[] = [
  column('CIDRs', 'The address ranges of services.', (object) => textsOf(spec(object).cidrs).join(',')),
  AGE,
]

export const IP_ADDRESS_COLUMNS: readonly Column[] = [
  column('ParentRef', 'The object with this address.', (object) => {
    const { parentRef } = spec(object)
    if (parentRef === undefined) return '<none>'
    const { group, resource, namespace, name } = fieldsOf(parentRef)
    const kind = text(group) === '' ? text(resource) : `${text(resource)}.${text(group)}`
    return [kind.toLowerCase(), text(namespace), text(name)].filter((part) => part !== '').join('/')
  }),
  AGE,
]

function externalAddress(service: KubeObject): string {
  const { type, externalName, externalIPs } = spec(service)
  const addresses = textsOf(externalIPs)
  switch (type) {
    case 'ClusterIP':
    case 'NodePort':
      return addresses.join(',') || '<none>'
    case 'LoadBalancer':
      return [...loadBalancerAddresses(service), ...addresses].join(',') || '<pending>'
    case 'ExternalName':
      return text(externalName)
    default:
      return '<unknown>'
  }
}

/** Returns the addresses of a load balancer, sorted, each once. */
function loadBalancerAddresses(object: KubeObject): string[] {
  const ingress = itemsOf(dig(status(object).loadBalancer, 'ingress'))
  const addresses = ingress.map(({ ip, hostname }) => textOr(ip, text(hostname))).filter((address) => address !== '')
  return [...new Set(addresses)].sort()
}

function portText({ port, nodePort, protocol }: Fields): string {
  const onNode = integer(nodePort) > 0 ? `:${integer(nodePort)}` : ''
  return `${integer(port)}${onNode}/${text(protocol)}`
}

function subsetAddresses(subset: Fields): string[] {
  const addresses = itemsOf(subset.addresses).map(({ ip }) => text(ip))
  const ports = itemsOf(subset.ports)
  if (ports.length === 0) return addresses
  return ports.flatMap(({ port }) => addresses.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${integer(port)}`))
}

function slicePort({ port, name }: Fields): string {
  if (typeof port === 'number') return `${port}`
  return typeof name === 'string' ? name : '*'
}

/** Rules without a host are not shown, but count among those left out. */
function ingressHosts(ingress: KubeObject): string {
  const rules = itemsOf(spec(ingress).rules)
  const hosts = rules.map(({ host }) => text(host)).filter((host) => host !== '')
  if (hosts.length === 0) return '*'
  const shown = hosts.slice(0, SHOWN)
  const lastShown = rules.findIndex(({ host }) => host === shown[SHOWN - 1])
  const more = shown.length === SHOWN && lastShown < rules.length - 1
  return more ? `${shown.join(',')} + ${rules.length - SHOWN} more...` : shown.join(',')
}
