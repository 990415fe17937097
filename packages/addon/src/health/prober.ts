import type { HealthCheckMode } from '@orrery/api'
import type { HealthProber, Manifest, ProbeField, WorkProbe } from '../agent-addon.js'
import { checkWorkloads, isIdle, workloadFields } from './workloads.js'

/** The mode in `status.healthCheck` for a prober; undefined leaves it as it is. */
export function healthCheckMode(prober: HealthProber | undefined): HealthCheckMode | undefined {
  if (prober === undefined) return undefined
  return prober.type === 'Lease' ? 'Lease' : 'Customized'
}

const WORKLOADS = {
  DeploymentAvailability: ['Deployment'],
  WorkloadAvailability: ['Deployment', 'DaemonSet'],
} as const

/** The feedback that works have to report for a prober. */
export function feedbackFields(
  prober: HealthProber | undefined,
  manifests: readonly Manifest[],
): readonly ProbeField[] {
  switch (prober?.type) {
    case 'Work':
      return prober.probe?.fields ?? []
    case 'DeploymentAvailability':
    case 'WorkloadAvailability':
      return workloadFields(manifests, WORKLOADS[prober.type])
    default:
      return []
  }
}

/** A prober that reads works: the probe is undefined if only their application counts. */
export interface WorkProber {
  readonly probe: WorkProbe | undefined
}

/**
 * How a prober reads works; undefined if it does not, or has to know the manifests and they could not be rendered.
 */
export function workProberOf(
  prober: HealthProber | undefined,
  manifests: readonly Manifest[] | undefined,
): WorkProber | undefined {
  switch (prober?.type) {
    case 'Work':
      return { probe: prober.probe }
    case 'DeploymentAvailability':
    case 'WorkloadAvailability': {
      if (manifests === undefined) return undefined
      const probed = manifests.filter((manifest) => !isIdle(manifest))
      return { probe: { fields: workloadFields(probed, WORKLOADS[prober.type]), check: checkWorkloads } }
    }
    default:
      return undefined
  }
}
