import type { JsonObject } from '@orrery/kinds'
import { DEFAULT_TOKEN_SECONDS } from '../../identity/token-lifetime.js'
import { childOf, flagOf, numberOf, optionalNumber, structsOf, textOf } from '../read.js'
import { type Defaults, defaults, emptyStruct, nonZero } from './engine.js'
import { amounts, requestsFromLimits } from './resources.js'

const MODE = 0o644

/** Images without a tag, or with `latest`, can change, so they are pulled each time. */
function pullPolicyOf(image: string): string {
  if (image === '') return 'IfNotPresent'
  const named = image.split('@')[0] ?? ''
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1)
  if (colon >= 0) return named.slice(colon + 1) === 'latest' ? 'Always' : 'IfNotPresent'
  return image.includes('@') ? 'IfNotPresent' : 'Always'
}

const httpGet = defaults({ path: '/', scheme: 'HTTP' })

const probe = defaults({
  timeoutSeconds: nonZero(1),
  periodSeconds: nonZero(10),
  successThreshold: nonZero(1),
  failureThreshold: nonZero(3),
  'httpGet?': httpGet,
  'grpc?.service': '',
})

const fieldRef = defaults({ 'fieldRef?.apiVersion': 'v1' })

const container: Defaults = defaults({
  '. pull policy': (value) => {
    if (textOf(value, 'imagePullPolicy') === '') value.imagePullPolicy = pullPolicyOf(textOf(value, 'image'))
  },
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  'ports[].protocol': 'TCP',
  'env[].valueFrom?': fieldRef,
  'env[].valueFrom?.fileKeyRef?.optional': false,
  resources: amounts('limits', 'requests'),
  'livenessProbe?': probe,
  'readinessProbe?': probe,
  'startupProbe?': probe,
  'lifecycle?.postStart?.httpGet?': httpGet,
  'lifecycle?.preStop?.httpGet?': httpGet,
})

export const claimSpec: Defaults = defaults({
  volumeMode: 'Filesystem',
  resources: amounts('limits', 'requests'),
})

/** The defaults of storage sources that pods and persistent volumes share. */
export const storageSources: Defaults = defaults({
  'iscsi?.iscsiInterface': 'default',
  'rbd?.pool': 'rbd',
  'rbd?.user': 'admin',
  'rbd?.keyring': '/etc/ceph/keyring',
  'azureDisk?.cachingMode': 'ReadWrite',
  'azureDisk?.fsType': 'ext4',
  'azureDisk?.readOnly': false,
  'azureDisk?.kind': 'Shared',
  'scaleIO?.storageMode': 'ThinProvisioned',
  'scaleIO?.fsType': 'xfs',
  'hostPath?.type': '',
})

const volume: Defaults = defaults({
  '. type': (value) => {
    if (Object.keys(value).every((name) => name === 'name')) value.emptyDir = {}
    const image = childOf(value, 'image')
    if (image && textOf(image, 'pullPolicy') === '') image.pullPolicy = pullPolicyOf(textOf(image, 'reference'))
  },
  'secret?.defaultMode': MODE,
  'configMap?.defaultMode': MODE,
  'downwardAPI?.defaultMode': MODE,
  'downwardAPI?.items[]': fieldRef,
  'projected?.defaultMode': MODE,
  'projected?.sources[].downwardAPI?.items[]': fieldRef,
  'projected?.sources[].serviceAccountToken?.expirationSeconds': DEFAULT_TOKEN_SECONDS,
  '. storage': storageSources,
  'ephemeral?.volumeClaimTemplate?.spec': claimSpec,
})

/** The `spec` of pods and of pod templates. */
const podSpec: Defaults = defaults({
  '. service account': (spec) => {
    // The deprecated `serviceAccount` and `serviceAccountName` are kept equal; the newer field takes precedence.
    const name = textOf(spec, 'serviceAccountName') || textOf(spec, 'serviceAccount')
    if (name === '') return
    spec.serviceAccountName = name
    spec.serviceAccount = name
  },
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  securityContext: emptyStruct,
  terminationGracePeriodSeconds: 30,
  schedulerName: 'default-scheduler',
  'volumes[]': volume,
  'initContainers[]': container,
  'containers[]': container,
  'ephemeralContainers[]': container,
  '. overhead': amounts('overhead'),
})

export const podTemplate: Defaults = defaults({ metadata: emptyStruct, spec: podSpec })

const hostPorts: Defaults = (target) => {
  for (const port of structsOf(target, 'ports')) {
    if (numberOf(port, 'hostPort') === 0) port.hostPort = numberOf(port, 'containerPort')
  }
}

/** Defaults for pods but not for templates. */
const onlyPods: Defaults = (spec) => {
  if ((optionalNumber(spec, 'terminationGracePeriodSeconds') ?? 0) < 0) spec.terminationGracePeriodSeconds = 1
  spec.enableServiceLinks ??= true
  for (const list of ['initContainers', 'containers']) {
    for (const item of structsOf(spec, list)) {
      requestsFromLimits(item)
      if (flagOf(spec, 'hostNetwork')) hostPorts(item)
    }
  }
}

/** The single `podIP` and the list `podIPs` are kept equal. */
const podAddresses: Defaults = (status) => {
  const ip = textOf(status, 'podIP')
  const first: JsonObject | undefined = structsOf(status, 'podIPs')[0]
  if (ip === '' && first !== undefined) status.podIP = textOf(first, 'ip')
  else if (ip !== '' && textOf(first, 'ip') !== ip) status.podIPs = [{ ip }]
}

export const pod: Defaults = defaults({
  spec: podSpec,
  '. pods': defaults({ spec: onlyPods }),
  'status?': podAddresses,
})
