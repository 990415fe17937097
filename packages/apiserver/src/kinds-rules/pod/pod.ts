import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  indexPath,
  isDNS1123Subdomain,
  isQualifiedName,
  keyPath,
} from '@orrery/kinds/values'
import { immutable, type ObjectChange } from '../change.js'
import { NOT_NEGATIVE, reportFormat, type StructCheck, struct } from '../check.js'
import { type KindRules, NAMESPACED } from '../kind.js'
import { legacyIp } from '../network.js'
import {
  childOf,
  entryOf,
  has,
  listOf,
  numberOf,
  optionalNumber,
  sameValue,
  structsOf,
  textOf,
  type Value,
} from '../read.js'
import { checkPodSpec } from './pod-spec.js'
import { toleration } from './scheduling.js'

const MIRROR = 'kubernetes.io/config.mirror'
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/'

const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

/** Annotations of pods with a meaning to the API. */
function checkPodAnnotations(meta: JsonObject | undefined, spec: JsonObject, at: string, errors: FieldError[]): void {
  const annotations = meta?.annotations
  const mirror = entryOf(annotations, MIRROR)
  if (mirror !== undefined && textOf(spec, 'nodeName') === '') {
    errors.push(fieldInvalid(keyPath(at, MIRROR), mirror, 'must set spec.nodeName if mirror pod annotation is set'))
  }
  const cost = entryOf(annotations, DELETION_COST)
  if (typeof cost === 'string' && !(/^(0|-?[1-9][0-9]{0,9})$/.test(cost) && Number(cost) === (Number(cost) | 0))) {
    errors.push(fieldInvalid(keyPath(at, DELETION_COST), cost, 'must be a 32bit integer'))
  }
}

const IMAGE_SPACES = 'must not have leading or trailing whitespace'

const valid: StructCheck = (pod, _at, errors) => {
  const meta = childOf(pod, 'metadata')
  const spec = childOf(pod, 'spec') ?? {}
  checkPodAnnotations(meta, spec, 'metadata.annotations', errors)
  checkPodSpec(spec, textOf(meta, 'name'), 'spec', errors, true)
  const grace = optionalNumber(spec, 'terminationGracePeriodSeconds') ?? 0
  if (grace < 0) errors.push(fieldInvalid('spec.terminationGracePeriodSeconds', grace, NOT_NEGATIVE))
  for (const list of ['containers', 'initContainers']) {
    for (const [i, container] of structsOf(spec, list).entries()) {
      const image = textOf(container, 'image')
      if (image.trim() !== image)
        errors.push(fieldInvalid(`${indexPath(`spec.${list}`, i)}.image`, image, IMAGE_SPACES))
    }
  }
  if (textOf(spec, 'serviceAccountName') === '') refuseTokens(spec, errors)
}

function refuseTokens(spec: JsonObject, errors: FieldError[]): void {
  for (const [i, volume] of structsOf(spec, 'volumes').entries()) {
    for (const [j, source] of structsOf(childOf(volume, 'projected'), 'sources').entries()) {
      if (!has(source, 'serviceAccountToken')) continue
      const path = `${indexPath(`${indexPath('spec.volumes', i)}.projected.sources`, j)}.serviceAccountToken`
      errors.push(fieldForbidden(path, 'must not be specified when serviceAccountName is not set'))
    }
  }
}

const onCreate: StructCheck = (pod, _at, errors) => {
  const spec = childOf(pod, 'spec')
  if (listOf(spec, 'ephemeralContainers').length > 0) {
    errors.push(fieldForbidden('spec.ephemeralContainers', 'cannot be set on create'))
  }
  if (textOf(spec, 'nodeName') !== '' && listOf(spec, 'schedulingGates').length > 0) {
    errors.push(fieldForbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'))
  }
}

const annotationChanges: ObjectChange = (pod, old, errors) => {
  const now = childOf(childOf(pod, 'metadata'), 'annotations')
  const before = childOf(childOf(old, 'metadata'), 'annotations')
  const kindOf = (key: string) =>
    key === MIRROR ? 'mirror pod annotation' : key.startsWith(APP_ARMOR) ? 'AppArmor annotations' : ''
  for (const key of Object.keys(before ?? {})) {
    if (kindOf(key) === '' || entryOf(now, key) === entryOf(before, key)) continue
    errors.push(fieldForbidden(keyPath('metadata.annotations', key), `may not remove or update ${kindOf(key)}`))
  }
  for (const key of Object.keys(now ?? {})) {
    if (kindOf(key) === '' || entryOf(before, key) !== undefined) continue
    errors.push(fieldForbidden(keyPath('metadata.annotations', key), `may not add ${kindOf(key)}`))
  }
}

const specChanges: ObjectChange = (pod, old, errors) => {
  const spec = childOf(pod, 'spec') ?? {}
  const before = childOf(old, 'spec') ?? {}
  for (const list of ['containers', 'initContainers']) {
    if (listOf(spec, list).length !== listOf(before, list).length) {
      return void errors.push(fieldForbidden(`spec.${list}`, 'pod updates may not add or remove containers'))
    }
  }
  if (!checkDeadline(spec, before, errors)) return
  checkTolerations(spec, before, errors)
  checkGates(spec, before, errors)
  if (sameValue(frozenPart(spec, before), before)) return
  errors.push(
    fieldForbidden(
      'spec',
      `pod updates may not change fields other than ${UPDATABLE}\n${describeDifference(before, frozenPart(spec, before))}`,
    ),
  )
}

/** Returns the new spec with all changeable fields reset to the old values. */
function frozenPart(spec: JsonObject, before: JsonObject): JsonObject {
  const munged: JsonObject = { ...spec }
  for (const list of ['containers', 'initContainers']) {
    const olds = structsOf(before, list)
    munged[list] = structsOf(spec, list).map((container, i) => ({ ...container, image: textOf(olds[i], 'image') }))
  }
  const gated = listOf(before, 'schedulingGates').length > 0
  const kept = ['activeDeadlineSeconds', 'schedulingGates', 'tolerations', ...(gated ? ['nodeSelector'] : [])]
  for (const name of kept) munged[name] = before[name] ?? null
  if (gated)
    munged.affinity = { ...childOf(spec, 'affinity'), nodeAffinity: childOf(before, 'affinity')?.nodeAffinity ?? null }
  if (numberOf(before, 'terminationGracePeriodSeconds') < 0 && spec.terminationGracePeriodSeconds === 1) {
    munged.terminationGracePeriodSeconds = numberOf(before, 'terminationGracePeriodSeconds')
  }
  return munged
}

/** Names the fields that differ instead of printing two pods. */
function describeDifference(before: JsonObject, after: JsonObject): string {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...names].filter((name) => !sameValue(before[name], after[name])).sort()
  return changed.map((name) => `@ ["${name}"]\n- ${show(before[name])}\n+ ${show(after[name])}`).join('\n')
}

function show(value: Value): string {
  return JSON.stringify(value ?? null)
}

function checkDeadline(spec: JsonObject, before: JsonObject, errors: FieldError[]): boolean {
  const deadline = optionalNumber(spec, 'activeDeadlineSeconds')
  const was = optionalNumber(before, 'activeDeadlineSeconds')
  const at = 'spec.activeDeadlineSeconds'
  if (deadline === undefined) {
    if (was === undefined) return true
    errors.push(fieldInvalid(at, null, 'must not update from a positive integer to nil value'))
    return true
  }
  if (was === undefined || was >= deadline) return true
  errors.push(fieldInvalid(at, deadline, 'must be less than or equal to previous value'))
  return false
}

function checkTolerations(spec: JsonObject, before: JsonObject, errors: FieldError[]): void {
  const tolerations = structsOf(spec, 'tolerations')
  const withoutSeconds = (value: JsonObject) =>
    JSON.stringify(['key', 'operator', 'value', 'effect'].map((name) => textOf(value, name)))
  const known = new Set(tolerations.map(withoutSeconds))
  const kept = structsOf(before, 'tolerations').every((old) => known.has(withoutSeconds(old)))
  if (!kept) {
    const detail = 'existing toleration can not be modified except its tolerationSeconds'
    return void errors.push(fieldForbidden('spec.tolerations', detail))
  }
  for (const [i, value] of tolerations.entries()) toleration(value, indexPath('spec.tolerations', i), errors)
}

function checkGates(spec: JsonObject, before: JsonObject, errors: FieldError[]): void {
  const olds = new Set(structsOf(before, 'schedulingGates').map((gate) => textOf(gate, 'name')))
  for (const [i, gate] of structsOf(spec, 'schedulingGates').entries()) {
    const name = textOf(gate, 'name')
    if (olds.has(name)) continue
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`
    errors.push(fieldForbidden(`${indexPath('spec.schedulingGates', i)}.name`, detail))
  }
}

const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized']

const statusFields = struct({
  'status.podIPs[]': (value, at, errors) => legacyIp(textOf(value, 'ip'), at, errors),
  'status.hostIPs[]': (value, at, errors) => legacyIp(textOf(value, 'ip'), at, errors),
})

const statusChanges: ObjectChange = (pod, old, errors) => {
  annotationChanges(pod, old, errors)
  const status = childOf(pod, 'status')
  for (const [i, condition] of structsOf(status, 'conditions').entries()) {
    const type = textOf(condition, 'type')
    if (SYSTEM_CONDITIONS.includes(type)) continue
    reportFormat(isQualifiedName, type, `${indexPath('status.conditions', i)}.Type`, errors)
  }
  const nominated = textOf(status, 'nominatedNodeName')
  if (nominated !== '' && nominated !== textOf(childOf(old, 'status'), 'nominatedNodeName')) {
    reportFormat(isDNS1123Subdomain, nominated, 'status.nominatedNodeName', errors)
  }
  const wasQos = textOf(childOf(old, 'status'), 'qosClass')
  if (wasQos !== '' && has(status, 'qosClass')) {
    immutable()(status?.qosClass, wasQos, 'status.qosClass', errors)
  }
  statusFields(pod, '', errors)
  const ips = structsOf(status, 'podIPs')
  if (ips[0] !== undefined && textOf(ips[0], 'ip') !== textOf(status, 'podIP')) {
    errors.push(fieldInvalid('status.podIPs[0].ip', textOf(ips[0], 'ip'), 'must be equal to `podIP`'))
  }
}

const ephemeralChanges: ObjectChange = (pod, old, errors) => {
  const at = 'spec.ephemeralContainers'
  const containers = new Map(
    structsOf(childOf(pod, 'spec'), 'ephemeralContainers').map((container) => [textOf(container, 'name'), container]),
  )
  for (const before of structsOf(childOf(old, 'spec'), 'ephemeralContainers')) {
    const name = textOf(before, 'name')
    const now = containers.get(name)
    if (now === undefined) {
      errors.push(fieldForbidden(at, `existing ephemeral containers ${JSON.stringify(name)} may not be removed\n`))
    } else if (!sameValue(now, before)) {
      errors.push(fieldForbidden(at, `existing ephemeral containers ${JSON.stringify(name)} may not be changed\n`))
    }
  }
}

export const podRules: KindRules = {
  ...NAMESPACED,
  valid,
  onCreate,
  onUpdate: {
    '': (pod, old, errors) => {
      annotationChanges(pod, old, errors)
      specChanges(pod, old, errors)
    },
    status: statusChanges,
    ephemeralcontainers: ephemeralChanges,
  },
}

/** `pods/binding`: binds a pod to a node. */
export const bindingRules: KindRules = {
  ...NAMESPACED,
  valid: (binding, _at, errors) => {
    const target = childOf(binding, 'target')
    const kind = textOf(target, 'kind')
    const name = textOf(target, 'name')
    if (kind !== '' && kind !== 'Node') errors.push(fieldNotSupported('target.kind', kind, ['Node', '<empty>']))
    if (name === '') errors.push(fieldRequired('target.name'))
    else if (kind === '' || kind === 'Node') reportFormat(isDNS1123Subdomain, name, 'target.name', errors)
  },
}
