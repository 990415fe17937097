import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  indexPath,
  isDNS1123Label,
  isDNS1123Subdomain,
  isObject,
  isPathSegmentName,
  isPortName,
  isWildcardDNS1123Subdomain,
} from '@orrery/kinds/values'
import { domainPrefixedPath } from './batch.js'
import { changes, immutable, type ObjectChange } from './change.js'
import {
  atMostBytes,
  type Check,
  formatted,
  ifSet,
  named,
  optionally,
  portNumber,
  reportFormat,
  required,
  type StructCheck,
  strictlyOneOf,
  struct,
} from './check.js'
import { CLUSTER_WIDE, type GroupRules, NAMESPACED } from './kind.js'
import { labelSelector } from './labels.js'
import { contains, legacyCidr, parseCidr, parseIp } from './network.js'
import { childOf, entryOf, has, listOf, numberOf, optionalNumber, structsOf, textOf, textsOf } from './read.js'
import { loadBalancerIngress } from './service.js'

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class'
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix']
const BAD_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F']
const BAD_ENDINGS = ['/..', '/.']
const MAX_CONTROLLER = 250

const hostName: Check = (value, at, errors) => {
  const host = value as string
  reportFormat(host.includes('*') ? isWildcardDNS1123Subdomain : isDNS1123Subdomain, host, at, errors)
}

const reference = struct({
  apiGroup: optionally(isDNS1123Subdomain),
  kind: named(isPathSegmentName),
  name: named(isPathSegmentName),
})

const backend: StructCheck = (value, at, errors) => {
  const resource = childOf(value, 'resource')
  const service = childOf(value, 'service')
  const report = (detail: string) => errors.push(fieldInvalid(at, '', detail))
  if (resource !== undefined && service !== undefined) report('cannot set both resource and service backends')
  else if (resource !== undefined) reference(resource, `${at}.resource`, errors)
  else if (service === undefined) report('resource or service backend is required')
  else {
    named(isDNS1123Label)(service.name, `${at}.service.name`, errors)
    const port = childOf(service, 'port')
    const name = textOf(port, 'name')
    const number = numberOf(port, 'number')
    if (name !== '' && number !== 0) report('cannot set both port name & port number')
    else if (name !== '') reportFormat(isPortName, name, `${at}.service.port.name`, errors)
    else if (number !== 0) portNumber(number, `${at}.service.port.number`, errors)
    else errors.push(fieldRequired(at, 'port name or number is required'))
  }
}

const httpPath: StructCheck = (value, at, errors) => {
  const path = textOf(value, 'path')
  const type = textOf(value, 'pathType')
  if (type === '') return void errors.push(fieldRequired(`${at}.pathType`, 'pathType must be specified'))
  if (!PATH_TYPES.includes(type)) errors.push(fieldNotSupported(`${at}.pathType`, type, PATH_TYPES))
  else {
    const strict = type !== 'ImplementationSpecific'
    if (!path.startsWith('/') && (strict || path !== '')) {
      errors.push(fieldInvalid(`${at}.path`, path, 'must be an absolute path'))
    }
    for (const sequence of strict ? BAD_SEQUENCES : []) {
      if (path.includes(sequence)) errors.push(fieldInvalid(`${at}.path`, path, `must not contain '${sequence}'`))
    }
    for (const ending of strict ? BAD_ENDINGS : []) {
      if (path.endsWith(ending)) errors.push(fieldInvalid(`${at}.path`, path, `cannot end with '${ending}'`))
    }
  }
  backend(childOf(value, 'backend') ?? {}, `${at}.backend`, errors)
}

const ingressSpec = struct({
  '. something to do': (spec, at, errors) => {
    if (listOf(spec, 'rules').length > 0 || has(spec, 'defaultBackend')) return
    errors.push(
      fieldInvalid(
        at,
        isObject(spec) ? (spec.rules ?? null) : null,
        'either `defaultBackend` or `rules` must be specified',
      ),
    )
  },
  'defaultBackend?': backend,
  'rules[].host': ifSet((host, at, errors) => {
    if (parseIp(host as string) !== undefined) {
      errors.push(fieldInvalid(at, host, 'must be a DNS name, not an IP address'))
    }
    hostName(host, at, errors)
  }),
  'rules[].http?.paths': required(),
  'rules[].http?.paths[]': httpPath,
  'tls[].hosts[]': hostName,
  'tls[].secretName': optionally(isDNS1123Subdomain),
  'ingressClassName?': formatted(isDNS1123Subdomain),
})

const oneClass: StructCheck = (ingress, _at, errors) => {
  const annotation = entryOf(childOf(childOf(ingress, 'metadata'), 'annotations'), CLASS_ANNOTATION)
  const name = childOf(ingress, 'spec')?.ingressClassName
  if (annotation === undefined || name === undefined || annotation === name) return
  const detail = 'must match `ingressClassName` when both are specified'
  errors.push(fieldInvalid(`annotations.${CLASS_ANNOTATION}`, annotation, detail))
}

const parameters: StructCheck = (value, at, errors) => {
  reference(value, at, errors)
  const scope = textOf(value, 'scope')
  if (!has(value, 'scope')) errors.push(fieldRequired(`${at}.scope`))
  else if (scope === 'Namespace') {
    if (!has(value, 'namespace'))
      errors.push(fieldRequired(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'"))
    else formatted(isDNS1123Label)(value.namespace, `${at}.namespace`, errors)
  } else if (scope === 'Cluster') {
    if (has(value, 'namespace'))
      errors.push(fieldForbidden(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'"))
  } else errors.push(fieldNotSupported(`${at}.scope`, scope, ['Cluster', 'Namespace']))
}

const policyPort: StructCheck = (value, at, errors) => {
  if (has(value, 'protocol')) strictlyOneOf('TCP', 'UDP', 'SCTP')(value.protocol, `${at}.protocol`, errors)
  const end = optionalNumber(value, 'endPort')
  const port = value.port
  if (typeof port === 'number') {
    portNumber(port, `${at}.port`, errors)
    if (end === undefined) return
    if (end < port) errors.push(fieldInvalid(`${at}.endPort`, port, 'must be greater than or equal to `port`'))
    portNumber(end, `${at}.endPort`, errors)
    return
  }
  if (end !== undefined) {
    const detail = `may not be specified when \`port\` is ${port === undefined ? 'not specified' : 'non-numeric'}`
    errors.push(fieldInvalid(`${at}.endPort`, end, detail))
  }
  if (typeof port === 'string') reportFormat(isPortName, port, `${at}.port`, errors)
}

function checkIpBlock(block: JsonObject, at: string, errors: FieldError[]): void {
  const cidr = textOf(block, 'cidr')
  if (cidr === '') return void errors.push(fieldRequired(`${at}.cidr`))
  legacyCidr(cidr, `${at}.cidr`, errors)
  const network = parseCidr(cidr)
  if (network === undefined) return
  for (const [i, except] of textsOf(block, 'except').entries()) {
    const path = indexPath(`${at}.except`, i)
    legacyCidr(except, path, errors)
    const inner = parseCidr(except)
    if (inner === undefined || (contains(network, inner.address) && network.bits < inner.bits)) continue
    errors.push(fieldInvalid(path, except, 'must be a strict subset of `cidr`'))
  }
}

const peer: StructCheck = (value, at, errors) => {
  const selectors = ['podSelector', 'namespaceSelector'].filter((name) => has(value, name))
  for (const name of selectors) labelSelector(value[name], `${at}.${name}`, errors)
  const block = childOf(value, 'ipBlock')
  if (block !== undefined) checkIpBlock(block, `${at}.ipBlock`, errors)
  if (block === undefined && selectors.length === 0) errors.push(fieldRequired(at, 'must specify a peer'))
  if (block !== undefined && selectors.length > 0) {
    errors.push(fieldForbidden(at, 'may not specify both ipBlock and another peer'))
  }
}

const networkPolicySpec = struct({
  podSelector: labelSelector,
  'ingress[].ports[]': policyPort,
  'ingress[].from[]': peer,
  'egress[].ports[]': policyPort,
  'egress[].to[]': peer,
  '. types': (spec, at, errors) => {
    const types = textsOf(spec, 'policyTypes')
    if (types.length > 2) {
      return void errors.push(fieldInvalid(`${at}.policyTypes`, types, 'may not specify more than two policyTypes'))
    }
    for (const [i, type] of types.entries()) {
      strictlyOneOf('Ingress', 'Egress')(type, indexPath(`${at}.policyTypes`, i), errors)
    }
  },
})

const ingressStatus: ObjectChange = (ingress, _old, errors) => {
  const list = structsOf(childOf(childOf(ingress, 'status'), 'loadBalancer'), 'ingress')
  for (const [i, item] of list.entries()) loadBalancerIngress(item, indexPath('status.loadBalancer.ingress', i), errors)
}

/** The object that an address is assigned to. */
const parentReference = struct({
  'group?': formatted(isDNS1123Subdomain),
  resource: [required(), optionally(isPathSegmentName)],
  name: [required(), optionally(isPathSegmentName)],
  'namespace?': formatted(isPathSegmentName),
})

export const networkingGroup: GroupRules = {
  Ingress: {
    ...NAMESPACED,
    valid: struct({ spec: ingressSpec }),
    onCreate: oneClass,
    onUpdate: { status: ingressStatus },
  },
  IngressClass: {
    ...CLUSTER_WIDE,
    valid: struct({
      'spec.controller': [atMostBytes(MAX_CONTROLLER), domainPrefixedPath],
      'spec.parameters?': parameters,
    }),
    onUpdate: { '': changes({ 'spec.controller': immutable() }) },
  },
  IPAddress: {
    namespaced: false,
    nameRule: 'ip',
    valid: struct({ 'spec.parentRef': required(), 'spec.parentRef?': parentReference }),
    onUpdate: { '': changes({ 'spec.parentRef': immutable() }) },
  },
  NetworkPolicy: { ...NAMESPACED, valid: struct({ spec: networkPolicySpec }) },
  ServiceCIDR: {
    ...CLUSTER_WIDE,
    valid: struct({ 'spec.cidrs': required('at least one CIDR required'), 'spec.cidrs[]': legacyCidr }),
  },
}
