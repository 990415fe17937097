import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { DEFAULT_TOKEN_SECONDS } from '../../identity/token-lifetime.js'
import { childOf, has, listOf, textOf } from '../read.js'
import { labelFromTemplate } from './core.js'
import { type Defaults, defaults, emptyStruct, fresh, nonZero } from './engine.js'
import { claimSpec, podTemplate } from './pod.js'

const deploymentStrategy: Defaults = (strategy) => {
  if (textOf(strategy, 'type') === '') strategy.type = 'RollingUpdate'
  if (strategy.type !== 'RollingUpdate') return
  defaults({ 'rollingUpdate.maxUnavailable': '25%', 'rollingUpdate.maxSurge': '25%' })(strategy)
}

const daemonStrategy: Defaults = (strategy) => {
  if (textOf(strategy, 'type') === '') strategy.type = 'RollingUpdate'
  if (strategy.type !== 'RollingUpdate') return
  defaults({ 'rollingUpdate.maxUnavailable': 1, 'rollingUpdate.maxSurge': 0 })(strategy)
}

/** The annotation that counts changes of a DaemonSet's template. */
export const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

/**
 * It was once a field of the type, so it counts as written by every writer of the object, even without the annotation.
 */
const templateGeneration: Defaults = (metadata) => {
  const annotations = childOf(metadata, 'annotations')
  if (annotations?.[TEMPLATE_GENERATION] !== undefined) return
  metadata.annotations = { ...annotations, [TEMPLATE_GENERATION]: '0' }
}

const statefulStrategy: Defaults = (strategy) => {
  if (textOf(strategy, 'type') === '') {
    strategy.type = 'RollingUpdate'
    strategy.rollingUpdate ??= {}
  }
  if (strategy.type !== 'RollingUpdate') return
  defaults({ 'rollingUpdate?.partition': 0 })(strategy)
}

const claimTemplate = defaults({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  spec: claimSpec,
  'status.phase': 'Pending',
})

const apps: Readonly<Record<string, Defaults>> = {
  DaemonSet: defaults({
    metadata: templateGeneration,
    'spec.updateStrategy': daemonStrategy,
    'spec.revisionHistoryLimit': 10,
    'spec.template': podTemplate,
  }),
  Deployment: defaults({
    'spec.replicas': 1,
    'spec.strategy': deploymentStrategy,
    'spec.revisionHistoryLimit': 10,
    'spec.progressDeadlineSeconds': 600,
    'spec.template': podTemplate,
  }),
  ReplicaSet: defaults({ 'spec.replicas': 1, 'spec.template': podTemplate }),
  StatefulSet: defaults({
    'spec.podManagementPolicy': 'OrderedReady',
    'spec.updateStrategy': statefulStrategy,
    'spec.persistentVolumeClaimRetentionPolicy.whenDeleted': 'Retain',
    'spec.persistentVolumeClaimRetentionPolicy.whenScaled': 'Retain',
    'spec.replicas': 1,
    'spec.revisionHistoryLimit': 10,
    'spec.template': podTemplate,
    'spec.volumeClaimTemplates[]': claimTemplate,
  }),
}

const MAX_INT32 = 2 ** 31 - 1

const job: Defaults = (object) => {
  const spec = childOf(object, 'spec')
  if (spec === undefined) return
  if (!has(spec, 'completions') && !has(spec, 'parallelism')) spec.completions = 1
  spec.parallelism ??= 1
  spec.backoffLimit ??= has(spec, 'backoffLimitPerIndex') ? MAX_INT32 : 6
  const labels = childOf(childOf(spec, 'template'), 'metadata')?.labels
  if (isObject(labels)) labelFromTemplate(object, labels)
  spec.podReplacementPolicy ??= has(spec, 'podFailurePolicy') ? 'Failed' : 'TerminatingOrFailed'
}

const jobTemplate = defaults({
  template: podTemplate,
  'podFailurePolicy?.rules[].onPodConditions[].status': 'True',
})

const batch: Readonly<Record<string, Defaults>> = {
  CronJob: defaults({
    'spec.concurrencyPolicy': 'Allow',
    'spec.suspend': false,
    'spec.successfulJobsHistoryLimit': 3,
    'spec.failedJobsHistoryLimit': 1,
    'spec.jobTemplate.metadata': emptyStruct,
    'spec.jobTemplate.spec': jobTemplate,
  }),
  Job: defaults({
    'spec.suspend': false,
    'spec.completionMode': 'NonIndexed',
    'spec.manualSelector': false,
    spec: jobTemplate,
    '. job': job,
  }),
}

function scalingRules(policies: () => JsonValue, stabilization?: number): Defaults {
  return defaults({
    ...(stabilization !== undefined && { stabilizationWindowSeconds: stabilization }),
    selectPolicy: 'Max',
    policies: fresh(policies),
  })
}

const percent = { type: 'Percent', value: 100, periodSeconds: 15 }
const scaleUp = scalingRules(() => [{ type: 'Pods', value: 4, periodSeconds: 15 }, { ...percent }], 0)
const scaleDown = scalingRules(() => [{ ...percent }])

const autoscaler: Defaults = (spec) => {
  spec.minReplicas ??= 1
  if (listOf(spec, 'metrics').length > 0) return
  const target = { type: 'Utilization', averageUtilization: 80 }
  spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }]
}

const networkPolicy: Defaults = (spec) => {
  if (listOf(spec, 'policyTypes').length > 0) return
  spec.policyTypes = listOf(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
}

const policyPort = defaults({ protocol: 'TCP' })

const webhook = defaults({
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: emptyStruct,
  objectSelector: emptyStruct,
  timeoutSeconds: 10,
  'clientConfig.service?.port': 443,
  'rules[].scope': '*',
})

const RBAC = 'rbac.authorization.k8s.io'

const binding = defaults({
  'roleRef.apiGroup': RBAC,
  'subjects[]': (subject: JsonObject) => {
    if (textOf(subject, 'apiGroup') === '' && (subject.kind === 'User' || subject.kind === 'Group'))
      subject.apiGroup = RBAC
  },
})

const deviceRequest: Defaults = (request) => {
  if (textOf(request, 'allocationMode') === '') request.allocationMode = 'ExactCount'
  if (request.allocationMode === 'ExactCount' && !request.count) request.count = 1
}

const toleration = defaults({ operator: 'Equal' })

const deviceClaim = defaults({
  'requests[].exactly?': deviceRequest,
  'requests[].exactly?.tolerations[]': toleration,
  'requests[].firstAvailable[]': deviceRequest,
  'requests[].firstAvailable[].tolerations[]': toleration,
})

const csiDriver = defaults({
  'spec.attachRequired': true,
  'spec.podInfoOnMount': false,
  'spec.storageCapacity': false,
  'spec.fsGroupPolicy': 'ReadWriteOnceWithFSType',
  'spec.volumeLifecycleModes': fresh(() => ['Persistent']),
  'spec.requiresRepublish': false,
  'spec.seLinuxMount': false,
})

/** The defaults of all groups except the core group. */
export const groupDefaults: ReadonlyMap<string, Readonly<Record<string, Defaults>>> = new Map([
  [
    'admissionregistration.k8s.io',
    {
      MutatingWebhookConfiguration: defaults({ 'webhooks[]': webhook, 'webhooks[].reinvocationPolicy': 'Never' }),
      ValidatingWebhookConfiguration: defaults({ 'webhooks[]': webhook }),
    },
  ],
  ['apiregistration.k8s.io', { APIService: defaults({ 'spec.service?.port': 443 }) }],
  ['apps', apps],
  ['authentication.k8s.io', { TokenRequest: defaults({ 'spec.expirationSeconds': DEFAULT_TOKEN_SECONDS }) }],
  [
    'autoscaling',
    {
      HorizontalPodAutoscaler: defaults({
        spec: autoscaler,
        'spec.behavior?.scaleUp': scaleUp,
        'spec.behavior?.scaleDown': scaleDown,
      }),
    },
  ],
  ['batch', batch],
  ['discovery.k8s.io', { EndpointSlice: defaults({ 'ports[].name': '', 'ports[].protocol': 'TCP' }) }],
  [
    'flowcontrol.apiserver.k8s.io',
    {
      FlowSchema: defaults({ 'spec.matchingPrecedence': nonZero(1000) }),
      PriorityLevelConfiguration: defaults({
        'spec.limited?.nominalConcurrencyShares': 30,
        'spec.limited?.lendablePercent': 0,
        'spec.limited?.limitResponse.queuing?.queues': nonZero(64),
        'spec.limited?.limitResponse.queuing?.handSize': nonZero(8),
        'spec.limited?.limitResponse.queuing?.queueLengthLimit': nonZero(50),
        'spec.exempt?.nominalConcurrencyShares': 0,
        'spec.exempt?.lendablePercent': 0,
      }),
    },
  ],
  [
    'networking.k8s.io',
    {
      IngressClass: defaults({ 'spec.parameters?.scope': 'Cluster' }),
      NetworkPolicy: defaults({
        'spec.podSelector': emptyStruct,
        spec: networkPolicy,
        'spec.ingress[].ports[]': policyPort,
        'spec.egress[].ports[]': policyPort,
      }),
    },
  ],
  [RBAC, { ClusterRoleBinding: binding, RoleBinding: binding }],
  [
    'resource.k8s.io',
    {
      ResourceClaim: defaults({
        'spec.devices?': deviceClaim,
        'status?.allocation?.devices?.results[].tolerations[]': toleration,
      }),
      ResourceClaimTemplate: defaults({ 'spec.spec.devices?': deviceClaim }),
    },
  ],
  ['scheduling.k8s.io', { PriorityClass: defaults({ preemptionPolicy: 'PreemptLowerPriority' }) }],
  [
    'storage.k8s.io',
    {
      CSIDriver: csiDriver,
      StorageClass: defaults({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
    },
  ],
] as [string, Readonly<Record<string, Defaults>>][])
