import type { Container, Draft, Pod, Volume as PodVolume, ResourceQuota } from '@orrery/kinds'
import { ownerReferenceTo } from '@orrery/kube'
import { PLAY_DURATION, PLAY_EXIT, PLAY_PULL, PLAY_START } from '../../kubelet/played/play-script.js'
import { VirtualMachineInstance } from '../kinds/instance.js'
import type { Volume } from '../kinds/instance-spec.js'
import {
  APP_LABEL,
  COMPUTE_CONTAINER,
  CREATED_BY_LABEL,
  DOMAIN_ANNOTATION,
  INSTANCE_ID_LABEL,
  LAUNCHER_IMAGE,
  SCHEDULABLE_LABEL,
  UNPAUSED_GATE,
  VM_NAME_LABEL,
} from '../names.js'
import { claimOf } from '../volumes.js'
import { computeResources } from './resources.js'

/** How long a guest may take to shut down. */
export const DEFAULT_GRACE_SECONDS = 30
/** The time that the pod has in addition to the guest. */
const POD_GRACE_SECONDS = 15
const MAX_LABEL = 63
/** The prefix of the annotations that decide how something is played. */
export const PLAY_ANNOTATIONS = 'orrery.dev/play-'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Returns the pod of an instance. It reserves the resources, and its addresses are those of the guest. */
export function launcherPod(instance: VirtualMachineInstance, quotas: readonly ResourceQuota[]): Draft<Pod> {
  const { name, namespace, uid, labels } = instance.metadata
  const { spec } = instance
  const hostname = hostnameOf(instance)
  const disks = (spec.volumes ?? []).flatMap((volume) => containerDisk(volume) ?? [])
  const claims = [...new Set((spec.volumes ?? []).flatMap((volume) => claimVolume(volume) ?? []))]
  const { terminationGracePeriodSeconds: grace = DEFAULT_GRACE_SECONDS } = spec
  return {
    metadata: {
      generateName: `virt-launcher-${name}-`,
      namespace,
      labels: {
        ...labels,
        [APP_LABEL]: 'virt-launcher',
        [CREATED_BY_LABEL]: uid,
        [VM_NAME_LABEL]: hostname,
        [INSTANCE_ID_LABEL]: name.slice(0, MAX_LABEL).replace(/[^a-z0-9]+$/, ''),
      },
      annotations: annotationsOf(instance, disks),
      ownerReferences: [ownerReferenceTo(instance, VirtualMachineInstance, { controller: true })],
    },
    spec: {
      restartPolicy: 'Never',
      hostname,
      ...(spec.subdomain !== undefined && { subdomain: spec.subdomain }),
      terminationGracePeriodSeconds: grace + POD_GRACE_SECONDS,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      nodeSelector: { ...spec.nodeSelector, [SCHEDULABLE_LABEL]: 'true' },
      ...(spec.affinity !== undefined && { affinity: spec.affinity }),
      ...(spec.tolerations !== undefined && { tolerations: spec.tolerations as never }),
      ...(spec.topologySpreadConstraints !== undefined && {
        topologySpreadConstraints: spec.topologySpreadConstraints as never,
      }),
      ...(spec.schedulerName !== undefined && { schedulerName: spec.schedulerName }),
      ...(spec.priorityClassName !== undefined && { priorityClassName: spec.priorityClassName }),
      readinessGates: [{ conditionType: UNPAUSED_GATE }],
      containers: [
        {
          name: COMPUTE_CONTAINER,
          image: LAUNCHER_IMAGE,
          command: ['/usr/bin/virt-launcher-monitor', '--uid', uid, '--namespace', namespace, '--name', name],
          resources: computeResources(spec, quotas),
          volumeMounts: claims.map(({ name: volume }) => ({
            name: volume,
            mountPath: `/var/run/kubevirt-private/vmi-disks/${volume}`,
          })),
        },
        ...disks,
      ],
      volumes: claims,
    },
  }
}

/** Returns the annotations that end the containers of a played launcher pod. */
export function endedPod(pod: Pod, isFailure: boolean, now: Date): Record<string, string> {
  const started = pod.status?.startTime ?? pod.metadata.creationTimestamp
  const seconds = Math.max(0, Math.floor((now.getTime() - new Date(started).getTime()) / 1_000))
  return { [PLAY_DURATION]: `${seconds}s`, [PLAY_EXIT]: isFailure ? '1' : '0' }
}

/** Returns the host name of a guest: a DNS label. */
export function hostnameOf({ metadata, spec }: VirtualMachineInstance): string {
  if (spec.hostname !== undefined && spec.hostname !== '') return spec.hostname
  const [label = ''] = metadata.name.split('.')
  return label.slice(0, MAX_LABEL).replace(/-+$/, '')
}

/** The timings of the guest are its own: the pod has those of its containers only. */
function annotationsOf({ metadata }: VirtualMachineInstance, disks: readonly Container[]): Record<string, string> {
  const given = Object.entries(metadata.annotations ?? {})
  const others = given.filter(([key]) => !key.startsWith(PLAY_ANNOTATIONS) && key !== LAST_APPLIED)
  const { [PLAY_START]: start, [PLAY_PULL]: pull } = metadata.annotations ?? {}
  const pulled = disks.length === 0 ? [PLAY_PULL] : disks.map(({ name }) => `${PLAY_PULL}.${name}`)
  return {
    ...Object.fromEntries(others),
    [DOMAIN_ANNOTATION]: metadata.name,
    'kubectl.kubernetes.io/default-container': COMPUTE_CONTAINER,
    ...(start !== undefined && { [PLAY_START]: start }),
    ...(pull !== undefined && Object.fromEntries(pulled.map((key) => [key, pull]))),
  }
}

function containerDisk({ name, containerDisk: disk }: Volume): Container | undefined {
  if (disk === undefined) return undefined
  return {
    name: `volume${name}`,
    image: disk.image,
    command: ['/usr/bin/container-disk'],
    ...(disk.imagePullPolicy !== undefined && { imagePullPolicy: disk.imagePullPolicy as 'Always' }),
    resources: { requests: { cpu: '1m', memory: '1M' }, limits: { cpu: '10m', memory: '40M' } },
  }
}

function claimVolume(volume: Volume): PodVolume | undefined {
  const claimName = claimOf(volume)
  return claimName === undefined ? undefined : { name: volume.name, persistentVolumeClaim: { claimName } }
}
