import type { JsonObject, KubeObject } from '@orrery/kinds'
import { addAll, indexPath, keyPath, quantityIsInteger } from '@orrery/kinds/values'
import { quantity, shown } from './quantities.js'
import { childOf, entriesOf, entryOf, has, listOf, numberOf, structsOf, textOf, type Value } from './read.js'

const DEPRECATED_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
}

const DEPRECATED_ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'seccomp.security.alpha.kubernetes.io/pod': 'non-functional in v1.27+; use the "seccompProfile" field instead',
}

const DEPRECATED_VOLUMES: Readonly<Record<string, string>> = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
}

/** The path of the pod template of a kind; '' is the object itself. */
const TEMPLATES: Readonly<Record<string, string>> = {
  '/Pod': '',
  '/PodTemplate': 'template',
  '/ReplicationController': 'spec.template',
  'apps/DaemonSet': 'spec.template',
  'apps/Deployment': 'spec.template',
  'apps/ReplicaSet': 'spec.template',
  'apps/StatefulSet': 'spec.template',
  'batch/CronJob': 'spec.jobTemplate.spec.template',
  'batch/Job': 'spec.template',
}

function podWarnings(template: JsonObject, at: string): string[] {
  const warnings: string[] = []
  const child = (path: string) => (at === '' ? path : `${at}.${path}`)
  const spec = childOf(template, 'spec')
  for (const [key] of entriesOf(spec, 'nodeSelector')) {
    const message = entryOf(DEPRECATED_LABELS, key)
    if (message !== undefined) warnings.push(`${keyPath(child('spec.nodeSelector'), key)}: ${message}`)
  }
  for (const [i, constraint] of structsOf(spec, 'topologySpreadConstraints').entries()) {
    const path = indexPath(child('spec.topologySpreadConstraints'), i)
    const key = textOf(constraint, 'topologyKey')
    const message = entryOf(DEPRECATED_LABELS, key)
    if (message !== undefined) warnings.push(`${path}.topologyKey: ${key} is ${message}`)
    if (!has(constraint, 'labelSelector')) {
      warnings.push(`${path}.labelSelector: a null labelSelector results in matching no pod`)
    }
  }
  const annotations = childOf(template, 'metadata')?.annotations
  for (const [key, message] of Object.entries(DEPRECATED_ANNOTATIONS)) {
    if (entryOf(annotations, key) === undefined) continue
    if (key.startsWith('seccomp') && has(childOf(spec, 'securityContext'), 'seccompProfile')) continue
    warnings.push(`${keyPath(child('metadata.annotations'), key)}: ${message}`)
  }
  for (const [i, volume] of structsOf(spec, 'volumes').entries()) {
    for (const [type, message] of Object.entries(DEPRECATED_VOLUMES)) {
      if (has(volume, type)) warnings.push(`${indexPath(child('spec.volumes'), i)}.${type}: ${message}`)
    }
  }
  repeated(spec, 'hostAliases', 'ip', child('spec.hostAliases'), warnings)
  repeated(spec, 'imagePullSecrets', 'name', child('spec.imagePullSecrets'), warnings)
  for (const [i, secret] of structsOf(spec, 'imagePullSecrets').entries()) {
    if (textOf(secret, 'name') !== '') continue
    warnings.push(`${indexPath(child('spec.imagePullSecrets'), i)}.name: invalid empty name ""`)
  }
  containerWarnings(spec, child, warnings)
  if (numberOf(spec, 'terminationGracePeriodSeconds') < 0) {
    const detail = 'must be >= 0; negative values are invalid and will be treated as 1'
    warnings.push(`${child('spec.terminationGracePeriodSeconds')}: ${detail}`)
  }
  return warnings
}

function repeated(spec: Value, list: string, field: string, at: string, warnings: string[]): void {
  const seen = new Set<string>()
  for (const [i, item] of structsOf(spec, list).entries()) {
    const value = textOf(item, field)
    if (seen.has(value)) warnings.push(`${indexPath(at, i)}.${field}: duplicate ${field} ${JSON.stringify(value)}`)
    seen.add(value)
  }
}

function containerWarnings(spec: Value, child: (path: string) => string, warnings: string[]): void {
  const ports = new Map<string, { readonly path: string; readonly port: JsonObject }[]>()
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const [i, container] of structsOf(spec, list).entries()) {
      const path = indexPath(child(`spec.${list}`), i)
      fractionWarnings(container, path, warnings)
      envWarnings(container, path, warnings)
      for (const [j, port] of structsOf(container, 'ports').entries()) {
        portWarnings(port, indexPath(`${path}.ports`, j), ports, warnings)
      }
    }
  }
}

function fractionWarnings(container: JsonObject, at: string, warnings: string[]): void {
  const resources = childOf(container, 'resources')
  for (const name of ['memory', 'ephemeral-storage']) {
    for (const list of ['limits', 'requests']) {
      addAll(warnings, fraction(entryOf(resources?.[list], name), keyPath(`${at}.resources.${list}`, name)))
    }
  }
}

function envWarnings(container: JsonObject, at: string, warnings: string[]): void {
  const seen = new Set<string>()
  for (const [i, variable] of structsOf(container, 'env').entries()) {
    const name = textOf(variable, 'name')
    const value = textOf(variable, 'value')
    const reference = `$(${name})`
    const builtOnPrevious = !has(variable, 'valueFrom') && value !== reference && value.includes(reference)
    if (seen.has(name) && !builtOnPrevious) {
      const detail = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`
      warnings.push(`${indexPath(`${at}.env`, i)}: ${detail}`)
    }
    seen.add(name)
  }
}

/** More warnings than a response contains: each definition of a port has one for each earlier one. */
const MAX_PORT_WARNINGS = 1000
/** With how many definitions of the same port each is compared. */
const MAX_SAME_PORTS = 100

function portWarnings(
  port: JsonObject,
  at: string,
  ports: Map<string, { readonly path: string; readonly port: JsonObject }[]>,
  warnings: string[],
): void {
  const key = `${numberOf(port, 'containerPort')}/${textOf(port, 'protocol')}`
  const others = ports.get(key) ?? []
  ports.set(key, others)
  if (warnings.length >= MAX_PORT_WARNINGS) return
  for (const other of others) {
    const sameHost = textOf(port, 'hostIP') === textOf(other.port, 'hostIP')
    const [mine, theirs] = [numberOf(port, 'hostPort'), numberOf(other.port, 'hostPort')]
    if (sameHost && mine === theirs) warnings.push(`${at}: duplicate port definition with ${other.path}`)
    else if (mine === 0 || theirs === 0) warnings.push(`${at}: overlapping port definition with ${other.path}`)
    else if (mine === theirs && (textOf(port, 'hostIP') === '') !== (textOf(other.port, 'hostIP') === '')) {
      warnings.push(`${at}: dangerously ambiguous port definition with ${other.path}`)
    }
  }
  if (others.length < MAX_SAME_PORTS) others.push({ path: at, port })
}

function volumeWarnings(object: JsonObject): string[] {
  const spec = childOf(object, 'spec')
  const warnings: string[] = []
  if (spec?.persistentVolumeReclaimPolicy === 'Recycle') {
    const advice = 'Instead, the recommended approach is to use dynamic provisioning.'
    warnings.push(`spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ${advice}`)
  }
  for (const [type, message] of Object.entries(DEPRECATED_VOLUMES)) {
    if (has(spec, type)) warnings.push(`spec.${type}: ${message}`)
  }
  return [...warnings, ...fraction(childOf(spec, 'capacity')?.storage, 'spec.capacity[storage]')]
}

function claimWarnings(spec: Value, at: string): string[] {
  const resources = childOf(spec, 'resources')
  return ['requests', 'limits'].flatMap((list) =>
    fraction(childOf(resources, list)?.storage, `${at}.resources.${list}[storage]`),
  )
}

function fraction(amount: Value, at: string): string[] {
  if (amount === undefined || quantityIsInteger(quantity(amount))) return []
  return [`${at}: fractional byte value ${JSON.stringify(shown(amount))} is invalid, must be an integer`]
}

function ingressWarnings(object: JsonObject, old: Value): string[] {
  const annotation = 'kubernetes.io/ingress.class'
  const annotated = (of: Value) => entryOf(childOf(childOf(of, 'metadata'), 'annotations'), annotation) !== undefined
  if (!annotated(object) || annotated(old)) return []
  return [`annotation "${annotation}" is deprecated, please use 'spec.ingressClassName' instead`]
}

function serviceWarnings(object: JsonObject): string[] {
  const spec = childOf(object, 'spec') ?? {}
  const external = listOf(spec, 'externalIPs').length > 0
  const headless = spec.type === 'ClusterIP' && spec.clusterIP === 'None'
  const isName = spec.type === 'ExternalName'
  const warnings: string[] = []
  if (headless) {
    if (textOf(spec, 'loadBalancerIP') !== '') warnings.push('spec.loadBalancerIP is ignored for headless services')
    if (external) warnings.push('spec.externalIPs is ignored for headless services')
    if (spec.sessionAffinity !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services')
  } else if (external && !isName) {
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters')
  }
  if (isName && external) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"')
  if (!isName && textOf(spec, 'externalName') !== '') {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"')
  }
  if (spec.trafficDistribution === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
  }
  return warnings
}

/** Returns warnings about valid but ineffective or deprecated fields. */
export function warningsFor(group: string, kind: string, object: KubeObject, old: KubeObject | undefined): string[] {
  const key = `${group}/${kind}`
  const json = object as unknown as JsonObject
  if (Object.hasOwn(TEMPLATES, key)) {
    const path = TEMPLATES[key] ?? ''
    let template: JsonObject | undefined = json
    for (const name of path === '' ? [] : path.split('.')) template = childOf(template, name)
    return template === undefined ? [] : podWarnings(template, path)
  }
  switch (key) {
    case '/Endpoints':
      return ['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice']
    case '/PersistentVolume':
      return volumeWarnings(json)
    case '/PersistentVolumeClaim':
      return claimWarnings(childOf(json, 'spec'), 'spec')
    case '/Service':
      return serviceWarnings(json)
    case 'networking.k8s.io/Ingress':
      return ingressWarnings(json, old as unknown as JsonObject | undefined)
    default:
      return []
  }
}
