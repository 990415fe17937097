import { MAX_WORK_NAME, type ManifestWork, WorkCondition } from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { isConditionTrue, keyOf, refOf } from '@orrery/kinds/values'
import { type ControllerSpec, isBeingDeleted, requeueAfter } from '@orrery/kube'
import type { Requeue } from '@orrery/kube/controller'
import type { SharedInformer } from '@orrery/kube/informer'
import { ensureAppliedWork } from '../applied-work/applied-work.js'
import type { Blockers } from '../applied-work/blockers.js'
import { ResourceCache } from '../apply/resource-cache.js'
import type { WorkContext } from '../context.js'
import { ExecutorCheck } from '../executor/executor.js'
import { fitting, someOf } from '../status/message.js'
import { watchedKey } from '../watched/types.js'
import { flowOfWork } from '../work-flow.js'
import { eachDrift, eachLostRecord, eachRewrittenWork, eachWork, wakeOf } from './wakes.js'
import { type ApplierTools, refuseWork, WorkApplier } from './work-applier.js'
import { finalizeWork } from './work-deletion.js'

const NOTHING: ReadonlySet<string> = new Set()
/** The limit for one manifest in the log. */
const MAX_FAILURE = 512

/** Some manifests could not be applied. The status of the work has the details. */
class UnappliedError extends Error {
  constructor(failures: readonly string[]) {
    super(someOf(failures.map((failure) => fitting(failure, MAX_FAILURE))))
    this.name = 'UnappliedError'
  }
}

/** Applies works and finalizes deleted ones. Both run in one controller, so that neither undoes the other. */
export function workController(
  context: WorkContext,
  blockers: Blockers,
  definitions: Pick<SharedInformer, 'subscribe'>,
): ControllerSpec {
  const { source, watched, outcomes, options, clock } = context
  const { clusterName, hubHash } = source
  const resourceCache = new ResourceCache(clock, options.resyncMilliseconds)
  const tools: ApplierTools = {
    resourceCache,
    executors: new ExecutorCheck(context.spoke, clock),
    awaited: new Map(),
  }
  /** Works with manifests of kinds that the cluster does not serve. */
  const lackingKinds = new Set<string>()

  const forget = (ref: ObjectRef) => {
    const key = keyOf(ref)
    watched.want(key, [])
    outcomes.delete(ref)
    resourceCache.keepOnly(key, NOTHING)
    tools.awaited.delete(key)
    lackingKinds.delete(key)
  }

  const apply = async (work: ManifestWork, signal: AbortSignal): Promise<Requeue | undefined> => {
    const held = source.isHeld(work) ? work : await source.hold(work, { signal })
    if (isBeingDeleted(held) || isConditionTrue(held.status?.conditions, WorkCondition.Complete)) return undefined
    if (held.metadata.name.length > MAX_WORK_NAME) {
      refuseWork(held, `the name of the work is longer than ${MAX_WORK_NAME} characters`, context)
      return undefined
    }
    const record = await ensureAppliedWork(held, context, signal)
    // Objects would be deleted with an AppliedManifestWork that is being deleted: another one will be created.
    if (isBeingDeleted(record)) return undefined
    const { lacksKinds, again, failures } = await new WorkApplier(context, tools, held, record, signal).run()
    if (lacksKinds) lackingKinds.add(keyOf(held.metadata))
    else lackingKinds.delete(keyOf(held.metadata))
    if (failures.length > 0) throw new UnappliedError(failures)
    const resync = options.resyncMilliseconds * (1 + options.random() / 2)
    return requeueAfter(Math.min(again - clock.elapsed(), resync))
  }

  return {
    name: 'manifest-work',
    concurrency: options.concurrency,
    flowOf: flowOfWork(source.works),
    backoff: { firstMilliseconds: 50, maxMilliseconds: options.resyncMilliseconds },
    wakes: [
      eachWork(context),
      eachRewrittenWork(context),
      eachLostRecord(context),
      eachDrift(context, ({ ref, after }, work) =>
        resourceCache.isLeft(work, watchedKey(ref), after?.metadata.resourceVersion),
      ),
      wakeOf(context, (enqueue) =>
        blockers.subscribe((name) => {
          enqueue({ namespace: clusterName, name: name.slice(hubHash.length + 1) }, 'fresh')
        }),
      ),
      wakeOf(context, (enqueue) =>
        definitions.subscribe(() => {
          for (const key of lackingKinds) enqueue(refOf(key), 'fresh')
        }),
      ),
    ],
    async reconcile(ref, { signal }) {
      const work = source.works.get(ref)
      if (work === undefined) return forget(ref)
      return isBeingDeleted(work) ? finalizeWork(work, context, blockers, signal) : apply(work, signal)
    },
  }
}
