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

/** The AppliedManifestWork of a work, which owns its objects. Creates it if it does not exist. */
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

/**
 * Sets this agent as the agent of the AppliedManifestWork: an agent of another name may have created it. Sends no
 * request if it is set already.
 */
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

/**
 * The owner reference to an AppliedManifestWork. It is not a controller reference, because several works may own an
 * object.
 */
export function ownerOf(appliedWork: ApiObject): OwnerReference {
  return ownerReferenceTo(appliedWork, AppliedManifestWork)
}

/** Updates the status of an AppliedManifestWork. Sends no request if nothing changes. */
export function writeAppliedStatus(
  { spoke }: Pick<WorkContext, 'spoke'>,
  appliedWork: AppliedManifestWork,
  change: (status: AppliedManifestWorkStatus) => AppliedManifestWorkStatus,
  signal: AbortSignal,
): Promise<AppliedManifestWork> {
  return writeStatus(spoke, AppliedManifestWork, appliedWork, ({ status }) => change(status ?? {}), { signal })
}
