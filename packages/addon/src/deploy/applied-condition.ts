import { AddOnReason, type ManifestWork, WorkCondition } from '@orrery/api'
import { type Finding, findCondition } from '@orrery/kinds/values'

/** The result of deploying manifests to one cluster. */
export type Deployment =
  /** The works as they are on the hub. */
  | { readonly works: readonly ManifestWork[] }
  /** Why the works are not on the hub. */
  | { readonly problem: string }

/**
 * The condition ManifestApplied or HostingManifestApplied; undefined as long as the agent of the cluster has not reported on all
 * works. A former failure is then outdated.
 */
export function appliedFinding(type: string, deployment: Deployment): Finding | undefined {
  if ('problem' in deployment) {
    return { type, status: 'False', reason: AddOnReason.ManifestWorkApplyFailed, message: deployment.problem }
  }
  if (deployment.works.length === 0) {
    return { type, status: 'True', reason: AddOnReason.ManifestsApplied, message: 'no manifest need to apply' }
  }
  const applied = deployment.works.map(({ status }) => findCondition(status?.conditions, WorkCondition.Applied))
  if (applied.some((condition) => condition !== undefined && condition.status !== 'True')) {
    const message = 'failed to apply the manifests of addon'
    return { type, status: 'False', reason: AddOnReason.ManifestsApplyFailed, message }
  }
  if (applied.includes(undefined)) return undefined
  const message = 'manifests of addon are applied successfully'
  return { type, status: 'True', reason: AddOnReason.ManifestsApplied, message }
}
