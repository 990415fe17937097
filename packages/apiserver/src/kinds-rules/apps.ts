import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  isDNS1123Label,
  isObject,
} from '@orrery/kinds/values'
import { changes, immutable, notDecremented, type ObjectChange } from './change.js'
import { nonNegative, optionally, type StructCheck, strictlyOneOf, struct } from './check.js'
import { type GroupRules, NAMESPACED } from './kind.js'
import { isEmptySelector, labelSelector } from './labels.js'
import { childOf, has, numberOf, sameValue, structsOf, textOf, type Value } from './read.js'
import { claimSpec } from './storage/claim.js'
import {
  alwaysRunning,
  checkSelected,
  intOrPercent,
  isNone,
  notMoreThanAll,
  replicaCounts,
  requiredSelector,
} from './workload.js'

const REPLICAS = 'cannot be greater than status.replicas'

/** Strategies are printed as kube-apiserver's internal type, whose fields have no JSON names. */
function shownStrategy(strategy: JsonObject | undefined): unknown {
  return { Type: textOf(strategy, 'type'), RollingUpdate: strategy?.rollingUpdate ?? null }
}

const deploymentStrategy: StructCheck = (strategy, at, errors) => {
  const path = `${at}.rollingUpdate`
  const rolling = childOf(strategy, 'rollingUpdate')
  if (strategy.type === 'Recreate') {
    if (rolling !== undefined) {
      errors.push(fieldForbidden(path, "may not be specified when strategy `type` is 'Recreate'"))
    }
  } else if (strategy.type !== 'RollingUpdate') {
    errors.push(fieldNotSupported(at, shownStrategy(strategy), ['Recreate', 'RollingUpdate']))
  } else if (rolling === undefined) {
    errors.push(fieldRequired(path, 'this should be defaulted and never be nil'))
  } else {
    intOrPercent(rolling.maxUnavailable, `${path}.maxUnavailable`, errors)
    intOrPercent(rolling.maxSurge, `${path}.maxSurge`, errors)
    if (isNone(rolling.maxUnavailable) && isNone(rolling.maxSurge)) {
      const detail = 'may not be 0 when `maxSurge` is 0'
      errors.push(fieldInvalid(`${path}.maxUnavailable`, rolling.maxUnavailable ?? 0, detail))
    }
    notMoreThanAll(rolling.maxUnavailable, `${path}.maxUnavailable`, errors)
  }
}

const selectedTemplate: StructCheck = (spec, at, errors) => {
  if (checkSelected(spec, at, errors)) alwaysRunning('ReplicaSet')(spec, at, errors)
  else errors.push(fieldInvalid(`${at}.selector`, spec.selector, 'invalid label selector'))
}

const deploymentSpec = struct({
  replicas: nonNegative,
  '. template': [requiredSelector('empty selector is invalid for deployment'), selectedTemplate],
  strategy: deploymentStrategy,
  minReadySeconds: nonNegative,
  'revisionHistoryLimit?': nonNegative,
  'progressDeadlineSeconds?': nonNegative,
  '. deadline': (spec, at, errors) => {
    if (!has(spec, 'progressDeadlineSeconds')) return
    const deadline = numberOf(spec, 'progressDeadlineSeconds')
    if (deadline > numberOf(spec, 'minReadySeconds')) return
    errors.push(fieldInvalid(`${at}.progressDeadlineSeconds`, deadline, 'must be greater than minReadySeconds'))
  },
})

const replicaSetSpec = struct({
  replicas: nonNegative,
  minReadySeconds: nonNegative,
  '. template': [requiredSelector('empty selector is invalid for deployment'), selectedTemplate],
})

const daemonStrategy: StructCheck = (strategy, at, errors) => {
  if (strategy.type === 'OnDelete') return
  if (strategy.type !== 'RollingUpdate') {
    return void errors.push(fieldNotSupported(at, shownStrategy(strategy), ['RollingUpdate', 'OnDelete']))
  }
  const path = `${at}.rollingUpdate`
  const rolling = childOf(strategy, 'rollingUpdate')
  if (rolling === undefined) return void errors.push(fieldRequired(path))
  for (const check of [intOrPercent, notMoreThanAll]) {
    for (const name of ['maxUnavailable', 'maxSurge']) check(rolling[name], `${path}.${name}`, errors)
  }
  const unavailable = !isNone(rolling.maxUnavailable)
  const surge = !isNone(rolling.maxSurge)
  if (unavailable && surge) {
    const detail = 'may not be set when maxUnavailable is non-zero'
    errors.push(fieldInvalid(`${path}.maxSurge`, rolling.maxSurge, detail))
  } else if (!unavailable && !surge) {
    errors.push(fieldRequired(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'))
  }
}

const daemonSetSpec = struct({
  'selector?': labelSelector,
  '. template': (spec, at, errors) => {
    const selector = childOf(spec, 'selector')
    checkSelected(isObject(spec) ? spec : {}, at, errors)
    if (selector !== undefined && isEmptySelector(selector)) {
      errors.push(fieldInvalid(`${at}.selector`, selector, 'empty selector is invalid for daemonset'))
    }
    alwaysRunning('DaemonSet')(isObject(spec) ? spec : {}, at, errors)
  },
  minReadySeconds: nonNegative,
  updateStrategy: daemonStrategy,
  'revisionHistoryLimit?': nonNegative,
})

const statefulStrategy: StructCheck = (spec, at, errors) => {
  const strategy = childOf(spec, 'updateStrategy')
  const path = `${at}.updateStrategy`
  const rolling = childOf(strategy, 'rollingUpdate')
  const type = textOf(strategy, 'type')
  if (type === '') errors.push(fieldRequired(path))
  else if (type === 'OnDelete') {
    if (rolling === undefined) return
    const detail = "only allowed for updateStrategy 'RollingUpdate'"
    const shown = { Partition: numberOf(rolling, 'partition'), MaxUnavailable: rolling.maxUnavailable ?? null }
    errors.push(fieldInvalid(`${path}.rollingUpdate`, shown, detail))
  } else if (type !== 'RollingUpdate') {
    errors.push(fieldInvalid(path, shownStrategy(strategy), "must be 'RollingUpdate' or 'OnDelete'"))
  } else if (rolling !== undefined) {
    const unavailable = `${path}.rollingUpdate.maxUnavailable`
    nonNegative(rolling.partition, `${path}.rollingUpdate.partition`, errors)
    if (!has(rolling, 'maxUnavailable')) return
    intOrPercent(rolling.maxUnavailable, unavailable, errors)
    if (isNone(rolling.maxUnavailable)) errors.push(fieldInvalid(unavailable, rolling.maxUnavailable, 'cannot be 0'))
    notMoreThanAll(rolling.maxUnavailable, unavailable, errors)
  }
}

const retention = strictlyOneOf('Retain', 'Delete')

/**
 * Claim templates of a StatefulSet replace volumes of the same names; its pods get their host names from the
 * StatefulSet.
 */
function templateOf(spec: JsonObject): JsonObject {
  const claims = structsOf(spec, 'volumeClaimTemplates').map((claim) => textOf(childOf(claim, 'metadata'), 'name'))
  const template = childOf(spec, 'template') ?? {}
  const podSpec = childOf(template, 'spec') ?? {}
  const names = new Set(claims)
  const volumes = structsOf(podSpec, 'volumes').filter((volume) => !names.has(textOf(volume, 'name')))
  const claimed = claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
  return { ...template, spec: { ...podSpec, hostname: '', subdomain: '', volumes: [...claimed, ...volumes] } }
}

const statefulSetSpec = struct({
  '. policies': (spec, at, errors) => {
    const policy = textOf(spec, 'podManagementPolicy')
    if (policy === '') errors.push(fieldRequired(`${at}.podManagementPolicy`))
    else if (policy !== 'OrderedReady' && policy !== 'Parallel') {
      errors.push(fieldInvalid(`${at}.podManagementPolicy`, policy, "must be 'OrderedReady' or 'Parallel'"))
    }
  },
  '. strategy': statefulStrategy,
  'persistentVolumeClaimRetentionPolicy?.whenDeleted': retention,
  'persistentVolumeClaimRetentionPolicy?.whenScaled': retention,
  'volumeClaimTemplates[].spec': claimSpec,
  replicas: nonNegative,
  minReadySeconds: nonNegative,
  'ordinals?.start': nonNegative,
  serviceName: optionally(isDNS1123Label),
  '. template': (value, at, errors) => {
    const spec = isObject(value) ? value : {}
    requiredSelector('empty selector is invalid for statefulset')(spec, at, errors)
    if (!checkSelected(spec, at, errors)) return void errors.push(fieldInvalid(`${at}.selector`, spec.selector, ''))
    alwaysRunning('StatefulSet')({ ...spec, template: templateOf(spec) }, at, errors)
  },
})

const SCALABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]

/** Pods of a StatefulSet have stable names and volumes, so few fields of it can change. */
const mostlyFrozen: ObjectChange = (object, old, errors) => {
  const fixed = (set: JsonObject) => {
    const entries = Object.entries(childOf(set, 'spec') ?? {})
    return Object.fromEntries(entries.filter(([name]) => !SCALABLE.includes(name)))
  }
  if (sameValue(fixed(object), fixed(old))) return
  const [last, ...others] = SCALABLE.map((name) => `'${name}'`).reverse()
  const list = `${others.reverse().join(', ')} and ${last}`
  errors.push(fieldForbidden('spec', `updates to statefulset spec for fields other than ${list} are forbidden`))
}

function statusRules(counts: ReturnType<typeof replicaCounts>): ObjectChange {
  const kept = changes({ 'status.collisionCount': notDecremented })
  return (object, old, errors) => {
    counts(object, errors)
    kept(object, old, errors)
  }
}

const COUNTS = ['replicas', 'readyReplicas', 'availableReplicas', 'observedGeneration', 'collisionCount']

const deploymentStatus = statusRules(
  replicaCounts(
    ['updatedReplicas', 'unavailableReplicas', 'terminatingReplicas', ...COUNTS],
    [
      ['updatedReplicas', 'replicas', REPLICAS],
      ['readyReplicas', 'replicas', REPLICAS],
      ['availableReplicas', 'replicas', REPLICAS],
      ['availableReplicas', 'readyReplicas', 'cannot be greater than readyReplicas'],
    ],
  ),
)

const replicaSetStatus = statusRules(
  replicaCounts(
    ['fullyLabeledReplicas', 'terminatingReplicas', ...COUNTS],
    [
      ['fullyLabeledReplicas', 'replicas', REPLICAS],
      ['readyReplicas', 'replicas', REPLICAS],
      ['availableReplicas', 'replicas', REPLICAS],
      ['availableReplicas', 'readyReplicas', 'cannot be greater than readyReplicas'],
    ],
  ),
)

const statefulSetStatus = statusRules(
  replicaCounts(
    ['currentReplicas', 'updatedReplicas', ...COUNTS],
    [
      ['readyReplicas', 'replicas', REPLICAS],
      ['currentReplicas', 'replicas', REPLICAS],
      ['updatedReplicas', 'replicas', REPLICAS],
      ['availableReplicas', 'replicas', REPLICAS],
      ['availableReplicas', 'readyReplicas', 'cannot be greater than status.readyReplicas'],
    ],
  ),
)

const daemonSetStatus = statusRules(
  replicaCounts(
    [
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ],
    [],
  ),
)

const data = (value: Value, errors: FieldError[]) => {
  if (value === undefined || value === null) errors.push(fieldRequired('data', 'data is mandatory'))
  else if (!isObject(value)) errors.push(fieldRequired('data', 'data must be a valid JSON object'))
}

export const appsGroup: GroupRules = {
  ControllerRevision: {
    ...NAMESPACED,
    valid: struct({ revision: nonNegative }),
    onCreate: (revision, _at, errors) => data(revision.data, errors),
    onUpdate: { '': changes({ data: immutable() }) },
  },
  DaemonSet: {
    ...NAMESPACED,
    valid: struct({ spec: daemonSetSpec }),
    changesFirst: true,
    onUpdate: { '': changes({ 'spec.selector': immutable() }), status: daemonSetStatus },
  },
  Deployment: {
    ...NAMESPACED,
    valid: struct({ spec: deploymentSpec }),
    onUpdate: { '': changes({ 'spec.selector': immutable() }), status: deploymentStatus },
  },
  ReplicaSet: {
    ...NAMESPACED,
    valid: struct({ spec: replicaSetSpec }),
    onUpdate: { '': changes({ 'spec.selector': immutable() }), status: replicaSetStatus },
  },
  StatefulSet: {
    namespaced: true,
    nameRule: 'label',
    valid: struct({ spec: statefulSetSpec }),
    onUpdate: {
      '': mostlyFrozen,
      status: statefulSetStatus,
    },
  },
}
