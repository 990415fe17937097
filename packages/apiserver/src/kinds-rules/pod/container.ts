import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
  fieldTooMany,
  indexPath,
  isDNS1123Label,
  isPortName,
} from '@orrery/kinds/values'
import { ifSet, named, oneOf, portNumber, required, type StructCheck, struct } from '../check.js'
import { checkRequirements } from '../quantities.js'
import { childOf, has, isUnset, listOf, numberOf, structsOf, textOf } from '../read.js'
import { environment, environmentFrom } from './env.js'
import { checkMounts } from './mounts.js'
import { checkProbes } from './probes.js'
import { checkContainerSecurity } from './security.js'
import type { PodVolumes } from './volumes.js'

/** What containers need to know about their pod. */
export interface PodContext {
  readonly volumes: PodVolumes
  readonly claims: ReadonlySet<string>
  /** The claims as errors print them, formatted once. */
  readonly shownClaims: string
  readonly gracePeriod: number | undefined
  readonly restartPolicy: string
  readonly hostUsers: boolean
  readonly os: string
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP']
const RESTART_POLICIES = ['Always', 'Never', 'OnFailure']
const RESTART_ACTIONS = ['Restart', 'RestartAllContainers']
const MAX_RESTART_RULES = 20
const MAX_EXIT_CODES = 255

const containerPort = struct({
  containerPort: (value, at, errors) => {
    if (!value) errors.push(fieldRequired(at))
    else portNumber(value, at, errors)
  },
  hostPort: (value, at, errors) => {
    if (value) portNumber(value, at, errors)
  },
  protocol: oneOf(...PROTOCOLS),
})

const ports: StructCheck = (container, at, errors) => {
  const names = new Set<string>()
  for (const [i, port] of structsOf(container, 'ports').entries()) {
    const path = indexPath(`${at}.ports`, i)
    const name = textOf(port, 'name')
    if (name !== '') {
      const problems = isPortName(name)
      for (const problem of problems) errors.push(fieldInvalid(`${path}.name`, name, problem))
      if (problems.length === 0 && names.has(name)) errors.push(fieldDuplicate(`${path}.name`, name))
      if (problems.length === 0) names.add(name)
    }
    containerPort(port, path, errors)
  }
}

const beforeMounts = struct({
  name: named(isDNS1123Label),
  image: required(),
  terminationMessagePolicy: oneOf('File', 'FallbackToLogsOnError'),
  '.': [ports, environment, environmentFrom],
})

const pullPolicy = oneOf('Always', 'IfNotPresent', 'Never')

/** Rules for containers of every type. */
function checkContainer(container: JsonObject, pod: PodContext, at: string, errors: FieldError[]): void {
  beforeMounts(container, at, errors)
  checkMounts(container, pod.volumes, at, errors)
  pullPolicy(container.imagePullPolicy, `${at}.imagePullPolicy`, errors)
  const resources = childOf(container, 'resources')
  if (resources !== undefined) {
    checkRequirements(resources, `${at}.resources`, errors)
    checkClaims(resources, pod, `${at}.resources.claims`, errors)
  }
  checkResizePolicy(container, pod, `${at}.resizePolicy`, errors)
  const security = childOf(container, 'securityContext')
  if (security !== undefined) checkContainerSecurity(security, `${at}.securityContext`, errors, pod.hostUsers)
}

function checkClaims(resources: JsonObject, pod: PodContext, at: string, errors: FieldError[]): void {
  const seen = new Set<string>()
  for (const [i, claim] of structsOf(resources, 'claims').entries()) {
    const path = indexPath(at, i)
    const name = textOf(claim, 'name')
    if (name === '') {
      errors.push(fieldRequired(path))
      continue
    }
    const key = textOf(claim, 'request') === '' ? name : `${name}/${textOf(claim, 'request')}`
    if (seen.has(name) || seen.has(key)) errors.push(fieldDuplicate(path, key))
    seen.add(key)
    if (pod.claims.has(name)) continue
    const { reason, body } = fieldNotFound(path, name)
    errors.push({
      reason,
      field: path,
      body: `${body}: must be one of the names in pod.spec.resourceClaims${pod.shownClaims}`,
    })
  }
}

function checkResizePolicy(container: JsonObject, pod: PodContext, at: string, errors: FieldError[]): void {
  const seen = new Set<string>()
  for (const [i, policy] of structsOf(container, 'resizePolicy').entries()) {
    const resource = textOf(policy, 'resourceName')
    if (seen.has(resource)) errors.push(fieldDuplicate(indexPath(at, i), resource))
    seen.add(resource)
    oneOf('cpu', 'memory')(resource, at, errors)
    oneOf('NotRequired', 'RestartContainer')(policy.restartPolicy, at, errors)
    if (pod.restartPolicy === 'Never' && policy.restartPolicy !== 'NotRequired') {
      const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
      errors.push(fieldInvalid(at, textOf(policy, 'restartPolicy'), detail))
    }
  }
}

function checkRestart(container: JsonObject, at: string, errors: FieldError[]): void {
  const policy = textOf(container, 'restartPolicy')
  const rules = structsOf(container, 'restartPolicyRules')
  if (!has(container, 'restartPolicy')) {
    if (rules.length === 0) return
    errors.push(fieldRequired(`${at}.restartPolicy`, 'must specify restartPolicy when restart rules are used'))
  } else if (!RESTART_POLICIES.includes(policy)) {
    errors.push(fieldNotSupported(`${at}.restartPolicy`, policy, RESTART_POLICIES))
  }
  if (rules.length > MAX_RESTART_RULES) {
    errors.push(fieldTooMany(`${at}.restartPolicyRules`, rules.length, MAX_RESTART_RULES))
  }
  for (const [i, rule] of rules.entries()) {
    const path = indexPath(`${at}.restartPolicyRules`, i)
    if (!RESTART_ACTIONS.includes(textOf(rule, 'action'))) {
      errors.push(fieldNotSupported(`${path}.action`, textOf(rule, 'action'), RESTART_ACTIONS))
    }
    const codes = childOf(rule, 'exitCodes')
    if (codes === undefined) {
      errors.push(fieldRequired(`${path}.exitCodes`, 'must be specified'))
      continue
    }
    if (!['In', 'NotIn'].includes(textOf(codes, 'operator'))) {
      errors.push(fieldNotSupported(`${path}.exitCodes.operator`, textOf(codes, 'operator'), ['In', 'NotIn']))
    }
    const count = listOf(codes, 'values').length
    if (count > MAX_EXIT_CODES) errors.push(fieldTooMany(`${path}.exitCodes.values`, count, MAX_EXIT_CODES))
  }
}

/** `containers` of a pod: at least one, with unique names and host ports. */
export function checkContainers(spec: JsonObject, pod: PodContext, at: string, errors: FieldError[]): void {
  const containers = structsOf(spec, 'containers')
  if (containers.length === 0) return void errors.push(fieldRequired(at))
  const names = new Set<string>()
  for (const [i, container] of containers.entries()) {
    const path = indexPath(at, i)
    checkContainer(container, pod, path, errors)
    const name = textOf(container, 'name')
    if (names.has(name)) errors.push(fieldDuplicate(`${path}.name`, name))
    names.add(name)
    checkProbes(container, path, errors, pod.gracePeriod, pod.os)
    checkRestart(container, path, errors)
  }
  checkHostPorts(containers, at, errors)
}

const SIDECAR_ONLY = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']

/** `initContainers` of a pod. Only sidecars have probes and hooks. */
export function checkInitContainers(spec: JsonObject, pod: PodContext, at: string, errors: FieldError[]): void {
  const names = new Set(structsOf(spec, 'containers').map((container) => textOf(container, 'name')))
  for (const [i, container] of structsOf(spec, 'initContainers').entries()) {
    const path = indexPath(at, i)
    checkContainer(container, pod, path, errors)
    checkRestart(container, path, errors)
    const name = textOf(container, 'name')
    if (names.has(name)) errors.push(fieldDuplicate(`${path}.name`, name))
    else if (name !== '') names.add(name)
    checkHostPorts([container], at, errors)
    if (container.restartPolicy === 'Always') {
      checkProbes(container, path, errors, pod.gracePeriod, pod.os)
      continue
    }
    for (const field of SIDECAR_ONLY) {
      if (!has(container, field)) continue
      errors.push(fieldForbidden(`${path}.${field}`, 'may not be set for init containers without restartPolicy=Always'))
    }
  }
}

const EPHEMERAL_FORBIDDEN = ['ports', 'resources', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle']

/** `ephemeralContainers` of a pod: a subset of what containers support. */
export function checkEphemeralContainers(spec: JsonObject, pod: PodContext, at: string, errors: FieldError[]): void {
  const others = new Set(
    [...structsOf(spec, 'containers'), ...structsOf(spec, 'initContainers')].map((c) => textOf(c, 'name')),
  )
  const names = new Set(others)
  for (const [i, container] of structsOf(spec, 'ephemeralContainers').entries()) {
    const path = indexPath(at, i)
    checkContainer(container, pod, path, errors)
    const name = textOf(container, 'name')
    if (names.has(name)) errors.push(fieldDuplicate(`${path}.name`, name))
    names.add(name)
    const target = textOf(container, 'targetContainerName')
    if (target !== '' && !others.has(target)) errors.push(fieldNotFound(`${path}.targetContainerName`, target))
    for (const field of EPHEMERAL_FORBIDDEN) {
      if (isUnset(container[field])) continue
      errors.push(fieldForbidden(`${path}.${field}`, 'cannot be set for an Ephemeral Container'))
    }
    for (const [j, mount] of structsOf(container, 'volumeMounts').entries()) {
      for (const field of ['subPath', 'subPathExpr']) {
        const mountPath = `${indexPath(`${path}.volumeMounts`, j)}.${field}`
        ifSet((_value, where) => {
          errors.push(fieldForbidden(where, 'cannot be set for an Ephemeral Container'))
        })(mount[field], mountPath, errors)
      }
    }
  }
}

function checkHostPorts(containers: readonly JsonObject[], at: string, errors: FieldError[]): void {
  const taken = new Set<string>()
  for (const [i, container] of containers.entries()) {
    for (const [j, port] of structsOf(container, 'ports').entries()) {
      const hostPort = numberOf(port, 'hostPort')
      if (hostPort === 0) continue
      const key = `${textOf(port, 'protocol')}/${textOf(port, 'hostIP')}/${hostPort}`
      const path = `${indexPath(`${indexPath(at, i)}.ports`, j)}.hostPort`
      if (taken.has(key)) errors.push(fieldDuplicate(path, key))
      taken.add(key)
    }
  }
}
