import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  indexPath,
  isDNS1123Label,
  isDNS1123Subdomain,
  isDNS1123SubdomainWithUnderscore,
  isQualifiedName,
} from '@orrery/kinds/values'
import { between, type Check, formatted, oneOf, optionally, reportFormat, type StructCheck, struct } from '../check.js'
import { annotationMap, labelMap } from '../labels.js'
import { legacyIp } from '../network.js'
import { checkRequirements } from '../quantities.js'
import { childOf, flagOf, has, numberOf, optionalNumber, structsOf, textOf, textsOf } from '../read.js'
import { checkContainers, checkEphemeralContainers, checkInitContainers, type PodContext } from './container.js'
import { affinity, checkSpread, toleration } from './scheduling.js'
import { checkOperatingSystem, podSecurity } from './security.js'
import { checkVolumes } from './volumes.js'

const MAX_NAMESERVERS = 3
const MAX_SEARCHES = 32
const MAX_SEARCH_CHARACTERS = 2048

export const preemptionPolicy = oneOf('PreemptLowerPriority', 'Never')

const dns: StructCheck = (spec, at, errors) => {
  const config = childOf(spec, 'dnsConfig')
  const path = `${at}.dnsConfig`
  if (spec.dnsPolicy === 'None') {
    if (config === undefined) {
      return void errors.push(fieldRequired(path, 'must provide `dnsConfig` when `dnsPolicy` is None'))
    }
    if (textsOf(config, 'nameservers').length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None'
      return void errors.push(fieldRequired(`${path}.nameservers`, detail))
    }
  }
  const nameservers = textsOf(config, 'nameservers')
  const searches = textsOf(config, 'searches')
  if (nameservers.length > MAX_NAMESERVERS) {
    const detail = `must not have more than ${MAX_NAMESERVERS} nameservers`
    errors.push(fieldInvalid(`${path}.nameservers`, nameservers, detail))
  }
  for (const [i, server] of nameservers.entries()) legacyIp(server, indexPath(`${path}.nameservers`, i), errors)
  if (searches.length > MAX_SEARCHES) {
    errors.push(fieldInvalid(`${path}.searches`, searches, `must not have more than ${MAX_SEARCHES} search paths`))
  }
  if (searches.join(' ').length > MAX_SEARCH_CHARACTERS) {
    const detail = `must not have more than ${MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list`
    errors.push(fieldInvalid(`${path}.searches`, searches, detail))
  }
  for (const [i, search] of searches.entries()) {
    if (search === '.') continue
    const name = search.endsWith('.') ? search.slice(0, -1) : search
    reportFormat(isDNS1123SubdomainWithUnderscore, name, indexPath(`${path}.searches`, i), errors)
  }
  for (const [i, option] of structsOf(config, 'options').entries()) {
    if (textOf(option, 'name') === '') errors.push(fieldRequired(indexPath(`${path}.options`, i), 'must not be empty'))
  }
}

const schedulingGates: StructCheck = (spec, at, errors) => {
  const seen = new Set<string>()
  for (const [i, gate] of structsOf(spec, 'schedulingGates').entries()) {
    const path = indexPath(`${at}.schedulingGates`, i)
    const name = textOf(gate, 'name')
    reportFormat(isQualifiedName, name, path, errors)
    if (seen.has(name)) errors.push(fieldDuplicate(path, name))
    seen.add(name)
  }
}

const hostNamespaces: StructCheck = (spec, at, errors) => {
  if (flagOf(spec, 'shareProcessNamespace') && flagOf(spec, 'hostPID')) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled'
    errors.push(fieldInvalid(`${at}.shareProcessNamespace`, true, detail))
  }
  if (spec.hostUsers !== false) return
  const detail = 'when `hostUsers` is false'
  if (flagOf(spec, 'hostNetwork')) errors.push(fieldForbidden(`${at}.hostNetwork`, detail))
  if (flagOf(spec, 'hostPID')) errors.push(fieldForbidden(`${at}.HostPID`, detail))
  if (flagOf(spec, 'hostIPC')) errors.push(fieldForbidden(`${at}.HostIPC`, detail))
}

const overhead: Check = (value, at, errors) => checkRequirements({ limits: value ?? {} }, at, errors)

const hostAlias: StructCheck = struct({ ip: legacyIp, 'hostnames[]': formatted(isDNS1123Subdomain) })

/** The rules of a pod spec that depend on a single field. */
const fields = struct({
  restartPolicy: oneOf('Always', 'OnFailure', 'Never'),
  dnsPolicy: oneOf('ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'),
  nodeSelector: labelMap,
  'securityContext?': podSecurity,
  'affinity?': affinity,
  '. dns': dns,
  'readinessGates[].conditionType': formatted(isQualifiedName),
  '. gates': schedulingGates,
  '. spread': (spec: JsonObject, at: string, errors: FieldError[]) =>
    checkSpread(spec, `${at}.topologySpreadConstraints`, errors),
  '. host namespaces': hostNamespaces,
  serviceAccountName: optionally(isDNS1123Subdomain),
  nodeName: optionally(isDNS1123Subdomain),
  'activeDeadlineSeconds?': between(1, 2 ** 31 - 1),
  hostname: optionally(isDNS1123Label),
  subdomain: optionally(isDNS1123Label),
  'tolerations[]': toleration,
  'hostAliases[]': hostAlias,
  priorityClassName: optionally(isDNS1123Subdomain),
  'runtimeClassName?': formatted(isDNS1123Subdomain),
  'preemptionPolicy?': preemptionPolicy,
  'overhead?': overhead,
  '. os': checkOperatingSystem,
})

/** The `spec` of a pod or of a pod template. `podName` is empty for templates. */
export function checkPodSpec(spec: JsonObject, podName: string, at: string, errors: FieldError[], isPod = false): void {
  if (!has(spec, 'terminationGracePeriodSeconds')) errors.push(fieldRequired(`${at}.terminationGracePeriodSeconds`))
  const volumes = checkVolumes(spec, podName, `${at}.volumes`, errors)
  const claims = new Set(structsOf(spec, 'resourceClaims').map((claim) => textOf(claim, 'name')))
  const context: PodContext = {
    volumes,
    claims,
    shownClaims: claims.size === 0 ? ' which is empty' : `: ${[...claims].sort().join(', ')}`,
    gracePeriod: optionalNumber(spec, 'terminationGracePeriodSeconds'),
    restartPolicy: textOf(spec, 'restartPolicy'),
    hostUsers: spec.hostUsers !== false,
    os: textOf(childOf(spec, 'os'), 'name'),
  }
  checkContainers(spec, context, `${at}.containers`, errors)
  checkInitContainers(spec, context, `${at}.initContainers`, errors)
  checkEphemeralContainers(spec, context, `${at}.ephemeralContainers`, errors)
  if (flagOf(spec, 'hostNetwork')) checkHostNetworkPorts(spec, at, errors, isPod)
  fields(spec, at, errors)
}

function checkHostNetworkPorts(spec: JsonObject, at: string, errors: FieldError[], isPod: boolean): void {
  for (const [i, container] of structsOf(spec, 'containers').entries()) {
    for (const [j, port] of structsOf(container, 'ports').entries()) {
      const hostPort = numberOf(port, 'hostPort')
      if ((!isPod && hostPort === 0) || hostPort === numberOf(port, 'containerPort')) continue
      const path = `${indexPath(`${indexPath(`${at}.containers`, i)}.ports`, j)}.hostPort`
      errors.push(fieldInvalid(path, hostPort, 'must match `containerPort` when `hostNetwork` is true'))
    }
  }
}

/** A pod template: errors of its labels and annotations have a path beside its spec, without `metadata`. */
export const podTemplate: StructCheck = (template, at, errors) => {
  const meta = childOf(template, 'metadata')
  labelMap(meta?.labels, `${at}.labels`, errors)
  annotationMap(meta?.annotations, `${at}.annotations`, errors)
  const spec = childOf(template, 'spec') ?? {}
  checkPodSpec(spec, '', `${at}.spec`, errors)
  if (structsOf(spec, 'ephemeralContainers').length > 0) {
    errors.push(fieldForbidden(`${at}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'))
  }
}
