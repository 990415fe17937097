import type { JsonObject } from '@orrery/kinds'
import { isObject, setOwn } from '@orrery/kinds/values'
import { childOf, numberOf, structsOf, textOf, textsOf } from '../read.js'
import { isExternallyAccessible } from '../service.js'
import { type Defaults, defaults } from './engine.js'
import { claimSpec, pod, podTemplate, storageSources } from './pod.js'
import { amounts, fillFrom } from './resources.js'

const AFFINITY_SECONDS = 10800

const service: Defaults = (spec) => {
  if (textOf(spec, 'sessionAffinity') === '') spec.sessionAffinity = 'None'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  else if (spec.sessionAffinity === 'ClientIP') {
    const client = childOf(childOf(spec, 'sessionAffinityConfig'), 'clientIP')
    if (client?.timeoutSeconds === undefined) {
      spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } }
    }
  }
  if (textOf(spec, 'type') === '') spec.type = 'ClusterIP'
  for (const port of structsOf(spec, 'ports')) {
    if (textOf(port, 'protocol') === '') port.protocol = 'TCP'
    if (!port.targetPort) port.targetPort = numberOf(port, 'port')
  }
  if (isExternallyAccessible(spec) && textOf(spec, 'externalTrafficPolicy') === '') {
    spec.externalTrafficPolicy = 'Cluster'
  }
  if (spec.type !== 'ExternalName') spec.internalTrafficPolicy ??= 'Cluster'
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true
}

const serviceStatus: Defaults = (object) => {
  if (childOf(object, 'spec')?.type !== 'LoadBalancer') return
  for (const ingress of structsOf(childOf(childOf(object, 'status'), 'loadBalancer'), 'ingress')) {
    if (textOf(ingress, 'ip') !== '') ingress.ipMode ??= 'VIP'
  }
}

/** `stringData` is stored in `data`. */
const foldStringData: Defaults = (secret) => {
  const texts = secret.stringData
  delete secret.stringData
  if (!isObject(texts)) return
  const data = isObject(secret.data) ? secret.data : {}
  for (const key of Object.keys(texts)) {
    const text = texts[key]
    if (typeof text === 'string') setOwn(data, key, Buffer.from(text).toString('base64'))
  }
  secret.data = data
}

const limitItem: Defaults = (limit) => {
  if (limit.type !== 'Container') return
  fillFrom(limit, 'default', 'max')
  fillFrom(limit, 'defaultRequest', 'default')
  fillFrom(limit, 'defaultRequest', 'min')
}

/** A namespace has its name as a label, so that selectors can select it. */
export const nameLabel: Defaults = (namespace) => {
  const meta = childOf(namespace, 'metadata')
  const name = textOf(meta, 'name')
  if (meta === undefined || name === '') return
  meta.labels = { ...(isObject(meta.labels) && meta.labels), 'kubernetes.io/metadata.name': name }
}

const replicationController: Defaults = (controller) => {
  const spec = childOf(controller, 'spec')
  const labels = childOf(childOf(spec, 'template'), 'metadata')?.labels
  if (spec === undefined || !isObject(labels)) return
  if (Object.keys(childOf(spec, 'selector') ?? {}).length === 0) spec.selector = { ...labels }
  labelFromTemplate(controller, labels)
}

/** Workloads of early groups get the labels of their pods unless they have their own. */
export function labelFromTemplate(object: JsonObject, labels: JsonObject): void {
  const meta = childOf(object, 'metadata')
  if (meta !== undefined && Object.keys(childOf(meta, 'labels') ?? {}).length === 0) meta.labels = { ...labels }
}

const nodeStatus: Defaults = (status) => {
  amounts('capacity', 'allocatable')(status)
  if (status.allocatable === undefined && isObject(status.capacity)) status.allocatable = { ...status.capacity }
}

/** The single `podCIDR` of old clients and the list `podCIDRs` are kept equal. */
const nodeNetworks: Defaults = (spec) => {
  const network = textOf(spec, 'podCIDR')
  const networks = textsOf(spec, 'podCIDRs')
  if (network !== '' && networks[0] !== network) spec.podCIDRs = [network]
  else if (network === '' && networks[0] !== undefined) spec.podCIDR = networks[0]
}

/** The core group. */
export const coreDefaults: Readonly<Record<string, Defaults>> = {
  Endpoints: defaults({ 'subsets[].ports[].protocol': 'TCP' }),
  LimitRange: defaults({
    'spec?.limits[]': (limit) => {
      amounts('max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio')(limit)
      limitItem(limit)
    },
  }),
  Namespace: defaults({
    '. label': nameLabel,
    'status.phase': 'Active',
  }),
  Node: defaults({ 'spec?': nodeNetworks, 'status?': nodeStatus }),
  PersistentVolume: defaults({
    'status.phase': 'Pending',
    'spec.persistentVolumeReclaimPolicy': 'Retain',
    'spec.volumeMode': 'Filesystem',
    'spec?': (spec) => {
      storageSources(spec)
      amounts('capacity')(spec)
    },
  }),
  PersistentVolumeClaim: defaults({ 'status.phase': 'Pending', spec: claimSpec }),
  Pod: pod,
  PodTemplate: defaults({ template: podTemplate }),
  ReplicationController: defaults({
    '. labels': replicationController,
    'spec.replicas': 1,
    'spec.template?': podTemplate,
  }),
  ResourceQuota: defaults({ 'spec?': amounts('hard'), 'status?': amounts('hard', 'used') }),
  Secret: defaults({ '. texts': foldStringData, type: 'Opaque' }),
  Service: defaults({ spec: service, '. status': serviceStatus }),
}
