import {
  type FieldError,
  fieldInvalid,
  fieldRequired,
  indexPath,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
} from '@orrery/kinds/values'
import type { ObjectChange } from './change.js'
import {
  formatted,
  nonNegative,
  oneOf,
  optionally,
  portNumber,
  reportFormat,
  type StructCheck,
  struct,
} from './check.js'
import { configMapRules, secretRules } from './config.js'
import { coreEventRules } from './events.js'
import { type GroupRules, type KindRules, NAMESPACED } from './kind.js'
import { limitRangeRules, resourceQuotaRules } from './limits.js'
import { checkEndpointIp, legacyIp } from './network.js'
import { nodeRules } from './node.js'
import { checkKnownFinalizer } from './object-meta.js'
import { bindingRules, podRules } from './pod/pod.js'
import { podTemplate } from './pod/pod-spec.js'
import { childOf, listOf, structsOf, textOf, textsOf } from './read.js'
import { serviceRules } from './service.js'
import { persistentVolumeClaimRules, persistentVolumeRules } from './storage/volume.js'
import { alwaysRunning, checkSelected, replicaCounts } from './workload.js'

const namespaceStatus: ObjectChange = (namespace, _old, errors) => {
  const phase = textOf(childOf(namespace, 'status'), 'phase')
  const deleted = textOf(childOf(namespace, 'metadata'), 'deletionTimestamp') !== ''
  const [only, when] = deleted ? ['Terminating', 'not empty'] : ['Active', 'empty']
  if (phase === only) return
  errors.push(fieldInvalid('status.Phase', phase, `may only be '${only}' if \`deletionTimestamp\` is ${when}`))
}

function namespaceFinalizers(path: (index: number) => string): StructCheck {
  return (namespace, _at, errors) => {
    for (const [i, finalizer] of textsOf(childOf(namespace, 'spec'), 'finalizers').entries()) {
      reportFormat(isQualifiedName, finalizer, path(i), errors)
      checkKnownFinalizer(finalizer, path(i), errors)
    }
  }
}

const finalizersByIndex = namespaceFinalizers((index) => indexPath('spec.finalizers', index))

const namespaceRules: KindRules = {
  namespaced: false,
  nameRule: 'label',
  valid: namespaceFinalizers(() => 'spec.finalizers'),
  revalidated: false,
  onUpdate: {
    status: namespaceStatus,
    finalize: (namespace, _old, errors) => finalizersByIndex(namespace, '', errors),
  },
}

const endpointAddress = struct({
  ip: legacyIp,
  hostname: optionally(isDNS1123Label),
  'nodeName?': formatted(isDNS1123Subdomain),
  '.': (address, at, errors) => checkEndpointIp(textOf(address, 'ip'), `${at}.ip`, errors),
})

const endpointPort = struct({
  name: optionally(isDNS1123Label),
  port: portNumber,
  protocol: oneOf('SCTP', 'TCP', 'UDP'),
  'appProtocol?': formatted(isQualifiedName),
})

const subset: StructCheck = struct({
  '. addresses': (value, at, errors) => {
    if (listOf(value, 'addresses').length + listOf(value, 'notReadyAddresses').length > 0) return
    errors.push(fieldRequired(at, 'must specify `addresses` or `notReadyAddresses`'))
  },
  'addresses[]': endpointAddress,
  'notReadyAddresses[]': endpointAddress,
  '. ports': (value, at, errors) => {
    const ports = structsOf(value, 'ports')
    for (const [i, port] of ports.entries()) {
      const path = indexPath(`${at}.ports`, i)
      if (ports.length > 1 && textOf(port, 'name') === '') errors.push(fieldRequired(`${path}.name`))
      endpointPort(port, path, errors)
    }
  },
})

const replicationController: StructCheck = (spec, at, errors) => {
  nonNegative(spec.minReadySeconds, `${at}.minReadySeconds`, errors)
  const selector = childOf(spec, 'selector')
  if (Object.keys(selector ?? {}).length === 0) errors.push(fieldRequired(`${at}.selector`))
  nonNegative(spec.replicas, `${at}.replicas`, errors)
  if (childOf(spec, 'template') === undefined) return void errors.push(fieldRequired(`${at}.template`))
  checkSelected({ ...spec, selector: { matchLabels: selector ?? {} } }, at, errors)
  alwaysRunning('ReplicationController')(spec, at, errors)
}

const REPLICAS = 'cannot be greater than status.replicas'

const replicationControllerStatus = replicaCounts(
  ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
  [
    ['fullyLabeledReplicas', 'replicas', REPLICAS],
    ['readyReplicas', 'replicas', REPLICAS],
    ['availableReplicas', 'replicas', REPLICAS],
    ['availableReplicas', 'readyReplicas', 'cannot be greater than readyReplicas'],
  ],
)

/** The core group. */
export const coreGroup: GroupRules = {
  Binding: bindingRules,
  ConfigMap: configMapRules,
  Endpoints: { ...NAMESPACED, valid: struct({ 'subsets[]': subset }) },
  Event: coreEventRules,
  LimitRange: limitRangeRules,
  Namespace: namespaceRules,
  Node: nodeRules,
  PersistentVolume: persistentVolumeRules,
  PersistentVolumeClaim: persistentVolumeClaimRules,
  Pod: podRules,
  PodTemplate: { ...NAMESPACED, valid: struct({ template: podTemplate }) },
  ReplicationController: {
    ...NAMESPACED,
    valid: struct({ spec: replicationController }),
    onUpdate: { status: (controller, _old, errors: FieldError[]) => replicationControllerStatus(controller, errors) },
  },
  ResourceQuota: resourceQuotaRules,
  Secret: secretRules,
  Service: serviceRules,
  ServiceAccount: NAMESPACED,
}
