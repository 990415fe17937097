import { Job, Pod } from '@orrery/kinds'
import {
  type ControllerSpec,
  each,
  hasFinalizer,
  isBeingDeleted,
  removeFinalizer,
  requeueAt,
  writeStatus,
} from '@orrery/kube'
import { soonest } from '@orrery/kube/controller'
import { semanticEqual } from '@orrery/kube/write'
import { BURST, inBursts, inGrowingBatches } from '../batches.js'
import type { WorkloadContext } from '../context.js'
import { claim, controlledBy, eachOwned } from '../ownership.js'
import { isNamespaceEnding, PodControl } from '../pod-control.js'
import { isFinished } from '../podstate.js'
import { selectorOf } from '../selectors.js'
import { finalCondition } from './finish.js'
import { OWN_CONTROLLER, TRACKING_FINALIZER } from './names.js'
import { type Plan, planOf } from './plan.js'
import { deadlineOf, isOver, type JobResult, resultOf } from './result.js'
import { jobStatus, notedStatus } from './status.js'
import { type Tally, tallyOf } from './tally.js'

const COMPONENT = 'job-controller'

/** The Job controller: runs the pods of each Job until enough succeeded or too many failed. */
export function jobController(context: WorkloadContext): ControllerSpec {
  const { client, clock, pods } = context
  const jobs = context.informers.of(Job)
  const recorder = context.recorder(COMPONENT)
  const podExpectations = context.expectations(Pod)
  const jobExpectations = context.expectations(Job)

  const act = async (job: Job, tally: Tally, result: JobResult | undefined, signal: AbortSignal): Promise<Plan> => {
    const control = new PodControl(context, recorder, job, signal)
    const plan: Plan =
      result === undefined
        ? planOf(job, tally, clock.now())
        : { create: [], remove: tally.active.slice(0, BURST), next: undefined }
    await Promise.all(
      plan.remove.map(async (pod) => {
        // A surplus pod of an active Job is neither a success nor a failure, so it must not be counted.
        if (result === undefined) await removeFinalizer(client, Pod, pod, TRACKING_FINALIZER, { signal })
        await control.delete(pod)
      }),
    )
    if (!isBeingDeleted(job)) await inGrowingBatches(plan.create, (draft) => control.create(draft))
    return plan
  }

  /**
   * Removes the finalizer from pods whose end is recorded in `uncountedTerminatedPods`. Returns the UIDs of recorded
   * pods without the finalizer.
   */
  const release = async (tally: Tally, isEnding: boolean, signal: AbortSignal): Promise<Set<string>> => {
    const noted = new Set([...tally.uncounted.succeeded, ...tally.uncounted.failed])
    // The pods as they were counted: one that ended since must be counted first.
    const held = tally.pods.filter((pod) => hasFinalizer(pod, TRACKING_FINALIZER))
    // Failures that the policy ignores are not recorded, and a finished Job needs no more counting.
    const free = held.filter((pod) => noted.has(pod.metadata.uid) || isFinished(pod) || isEnding)
    await inBursts(free, async (pod) => {
      const left = await removeFinalizer(client, Pod, pod, TRACKING_FINALIZER, { signal })
      const { namespace, name } = pod.metadata
      const isFree = () => {
        const shown = pods.get({ namespace, name })
        return shown?.metadata.uid !== pod.metadata.uid || !hasFinalizer(shown, TRACKING_FINALIZER)
      }
      if (left !== undefined) await podExpectations.until(isFree, signal)
    })
    return noted
  }

  const recordEnd = (before: Job, after: Job) => {
    const condition = finalCondition(after)
    if (condition !== undefined && finalCondition(before) === undefined) {
      const { type, reason = '', message = '' } = condition
      if (type === 'Complete') recorder.record({ regarding: after, reason: 'Completed', note: 'Job completed' })
      else recorder.record({ regarding: after, type: 'Warning', reason, note: message })
    }
    const suspension = after.status?.conditions?.find(({ type }) => type === 'Suspended')?.status
    const former = before.status?.conditions?.find(({ type }) => type === 'Suspended')?.status
    if (suspension === former) return
    if (suspension === 'True') recorder.record({ regarding: after, reason: 'Suspended', note: 'Job suspended' })
    else recorder.record({ regarding: after, reason: 'Resumed', note: 'Job resumed' })
  }

  return {
    name: COMPONENT,
    wakes: [each(jobs), eachOwned(pods, jobs, ({ spec }) => selectorOf(spec.selector))],
    concurrency: 5,
    async reconcile(ref, { signal }) {
      const job = jobs.get(ref)
      if (job === undefined || (job.spec.managedBy ?? OWN_CONTROLLER) !== OWN_CONTROLLER) return undefined
      await claim(context, Pod, { kind: Job, owner: job, selector: selectorOf(job.spec.selector) }, signal)
      if (isOver(job)) {
        await release(tallyOf(job, controlledBy(pods, job)), true, signal)
        return undefined
      }
      const before = tallyOf(job, controlledBy(pods, job))
      const result = resultOf(job, before, clock.now())
      let plan: Plan | undefined
      let failure: unknown
      try {
        plan = await act(job, before, result, signal)
      } catch (error) {
        if (signal.aborted || isNamespaceEnding(error)) return undefined
        failure = error
      }
      const tally = tallyOf(job, controlledBy(pods, job))
      const now = clock.now()
      const situation = { job, tally, result: result ?? resultOf(job, tally, now), released: new Set<string>(), now }
      let latest = job
      if (!semanticEqual(tally.uncounted, job.status?.uncountedTerminatedPods)) {
        const note = writeStatus(client, Job, job, ({ status }) => notedStatus(status, situation), { signal, tries: 1 })
        latest = await jobExpectations.after(note, signal)
      }
      const released = await release(tally, false, signal)
      const statusOf = () => jobStatus(latest.status, { ...situation, released })
      const write = writeStatus(client, Job, latest, statusOf, { signal, tries: 1 })
      recordEnd(job, await jobExpectations.after(write, signal))
      if (failure !== undefined) throw failure
      const deadline = situation.result === undefined ? deadlineOf(latest) : undefined
      return soonest(now, plan?.next && requeueAt(plan.next), deadline && requeueAt(deadline))
    },
  }
}
