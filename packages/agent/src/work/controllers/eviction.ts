import { AppliedManifestWork, type AppliedManifestWorkStatus } from '@orrery/api'
import { formatTime, isConflict, isNotFound, parseTime } from '@orrery/kinds/values'
import { type ControllerSpec, each, isBeingDeleted, requeueAt } from '@orrery/kube'
import type { Requeue } from '@orrery/kube/controller'
import { writeAppliedStatus } from '../applied-work/applied-work.js'
import { appliedWorkName } from '../applied-work/applied-work-name.js'
import type { WorkContext } from '../context.js'

/** A grace period of a hundred years or more means that nothing is ever evicted. */
const FOR_EVER = 100 * 365 * 24 * 3_600_000

/**
 * Evicts AppliedManifestWorks whose works do not exist on the hub, or that belong to an earlier hub of this agent. It
 * waits for a grace period, since the works may come back.
 */
export function evictionController(context: WorkContext): ControllerSpec {
  const { spoke, source, appliedWorks, clock, agentId, options } = context
  const { clusterName, hubHash } = source
  const { evictionGraceMilliseconds: grace } = options
  return {
    name: 'applied-work-eviction',
    wakes: [
      each(appliedWorks),
      each(source.works, ({ metadata }) => ({ name: appliedWorkName(hubHash, metadata.name) }), {
        when: ({ type }) => type !== 'updated',
      }),
    ],
    async reconcile({ name }, { signal, log }): Promise<Requeue | undefined> {
      const record = appliedWorks.get({ name })
      if (record?.spec === undefined || record.spec.agentID !== agentId || isBeingDeleted(record)) return undefined
      const { manifestWorkName } = record.spec
      const isOurs = name.startsWith(hubHash)
      const isManaged = isOurs && source.works.get({ namespace: clusterName, name: manifestWorkName }) !== undefined
      const since = record.status?.evictionStartTime
      if (isManaged || grace >= FOR_EVER) {
        if (since !== undefined) await writeAppliedStatus(context, record, withoutEviction, signal)
        return undefined
      }
      const now = clock.now()
      if (since === undefined) {
        await writeAppliedStatus(
          context,
          record,
          (status) => ({ ...status, evictionStartTime: formatTime(now) }),
          signal,
        )
        return requeueAt(new Date(now.getTime() + grace))
      }
      const due = new Date(startOf(since) + grace)
      if (now < due) return requeueAt(due)
      // The cache may be stale, and deleted objects do not come back.
      if (isOurs && (await source.exists(manifestWorkName, { signal }))) return undefined
      try {
        await spoke.delete(AppliedManifestWork, { name }, { preconditions: { uid: record.metadata.uid }, signal })
        log.info('AppliedManifestWork evicted', { work: manifestWorkName, since })
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error
      }
      return undefined
    },
  }
}

function withoutEviction({ evictionStartTime: _, ...status }: AppliedManifestWorkStatus): AppliedManifestWorkStatus {
  return status
}

function startOf(time: string): number {
  return parseTime(time).seconds * 1000
}
