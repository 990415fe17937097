import {
  APPLIED_WORK_FINALIZER,
  AppliedManifestWork,
  type AppliedManifestWorkSpec,
  type AppliedManifestWorkStatus,
  type ManifestWork,
} from '@orrery/api'
import type { ApiObject, OwnerReference } from '@orrery/kinds'
import { isAlreadyExists, jsonEqual } from '@orrery/kinds/values'
import { type KubeClient, ownerReferenceTo, writeStatus } from '@orrery/kube'
import { patchLocked } from '@orrery/kube/write'
import type { WorkContext } from '../context.js'
import { appliedWorkName } from './applied-work-name.js'

type Spoke = Pick<WorkContext, 'spoke' | 'appliedWorks' | 'source' | 'agentId'>

/** The record of a work on the cluster, which owns its objects. Made if it is not there. */
export async function ensureAppliedWork(
  { metadata }: ManifestWork,
  { spoke, appliedWorks, source: { hubHash }, agentId }: Spoke,
  signal: AbortSignal,
): Promise<AppliedManifestWork> {
  const name = appliedWorkName(hubHash, metadata.name)
  const spec = { hubHash, agentID: agentId, manifestWorkName: metadata.name }
  return takeOver(appliedWorks.get({ name }) ?? (await create()), spec, spoke, signal)

  async function create(): Promise<AppliedManifestWork> {
    const { labels } = metadata
    const meta = { name, finalizers: [APPLIED_WORK_FINALIZER], ...(labels !== undefined && { labels }) }
    try {
      return await spoke.create(AppliedManifestWork, { metadata: meta, spec }, { signal })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      return spoke.get(AppliedManifestWork, { name }, { signal })
    }
  }
}

/** Makes the record this agent's own: an agent of another name may have made it. No request when it is already. */
export function takeOver(
  record: AppliedManifestWork,
  spec: AppliedManifestWorkSpec,
  spoke: KubeClient,
  signal: AbortSignal,
): Promise<AppliedManifestWork> {
  const patchOf = ({ spec: current }: AppliedManifestWork) =>
    jsonEqual(current, spec) ? undefined : { spec: { ...spec } }
  return patchLocked(spoke, AppliedManifestWork, record, patchOf, { signal })
}

/** How objects refer to the record that owns them: not as their controller, as several works may own an object. */
export function ownerOf(appliedWork: ApiObject): OwnerReference {
  return ownerReferenceTo(appliedWork, AppliedManifestWork)
}

/** Changes what the record says about itself. Nothing is sent when nothing changes. */
export function writeAppliedStatus(
  { spoke }: Pick<WorkContext, 'spoke'>,
  appliedWork: AppliedManifestWork,
  change: (status: AppliedManifestWorkStatus) => AppliedManifestWorkStatus,
  signal: AbortSignal,
): Promise<AppliedManifestWork> {
  return writeStatus(spoke, AppliedManifestWork, appliedWork, ({ status }) => change(status ?? {}), { signal })
}
