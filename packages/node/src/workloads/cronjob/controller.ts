import { CronJob, type CronJobStatus, type Draft, Job, type ObjectRef, type ObjectReference } from '@orrery/kinds'
import { formatTime, isAlreadyExists, isNotFound, noLabels, ParseError } from '@orrery/kinds/values'
import {
  type ControllerSpec,
  each,
  isBeingDeleted,
  ownerReferenceTo,
  type ReconcileContext,
  requeueAt,
  writeStatus,
} from '@orrery/kube'
import type { WorkloadContext } from '../context.js'
import { finalCondition } from '../job/finish.js'
import { controlledBy, eachOwned } from '../ownership.js'
import { isNamespaceEnding, messageOf } from '../pod-control.js'
import { dueTimes } from './due.js'
import { surplusJobs } from './history.js'
import { parseSchedule, type Schedule } from './schedule.js'
import { Zone } from './zone.js'

const COMPONENT = 'cronjob-controller'
const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp'

/** The CronJob controller: creates Jobs when they are due and deletes those beyond the history limits. */
export function cronJobController(context: WorkloadContext): ControllerSpec {
  const { clock } = context
  const cronJobs = context.informers.of(CronJob)
  const jobs = context.owned(Job)
  const recorder = context.recorder(COMPONENT)
  const jobExpectations = context.expectations(Job)
  const cronJobExpectations = context.expectations(CronJob)

  const recordEvent = (cronJob: CronJob, type: 'Normal' | 'Warning', reason: string, note: string) =>
    recorder.record({ regarding: cronJob, type, reason, note })

  const scheduleOf = (cronJob: CronJob): Schedule | undefined => {
    const { schedule, timeZone } = cronJob.spec
    try {
      return parseSchedule(schedule, timeZone)
    } catch (error) {
      if (!(error instanceof ParseError)) throw error
      recordEvent(cronJob, 'Warning', 'UnparseableSchedule', `unparseable schedule: "${schedule}" : ${error.message}`)
      return undefined
    }
  }

  const remove = async (cronJob: CronJob, job: Job, { client, signal }: ReconcileContext) => {
    const { name, namespace, uid } = job.metadata
    const options = { propagationPolicy: 'Background', preconditions: { uid }, signal } as const
    try {
      await jobExpectations.gone(client.delete(Job, { name, namespace }, options), job, signal)
      recordEvent(cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`)
    } catch (error) {
      if (isNotFound(error)) return
      recordEvent(cronJob, 'Warning', 'FailedDelete', `Deleted job: ${messageOf(error)}`)
      throw error
    }
  }

  /**
   * Creates the Job of a scheduled time, unless the concurrency policy forbids it. Returns whether the time is handled.
   */
  const start = async (cronJob: CronJob, time: number, run: ReconcileContext): Promise<boolean> => {
    const running = controlledBy(jobs, cronJob).filter(isRunning)
    const { concurrencyPolicy = 'Allow' } = cronJob.spec
    if (concurrencyPolicy === 'Forbid' && running.length > 0) {
      const note = 'Not starting job because prior execution is running and concurrency policy is Forbid'
      recordEvent(cronJob, 'Normal', 'JobAlreadyActive', note)
      return false
    }
    if (concurrencyPolicy === 'Replace') for (const job of running) await remove(cronJob, job, run)
    const draft = jobFor(cronJob, time)
    try {
      await jobExpectations.after(run.client.create(Job, draft, { signal: run.signal }), run.signal)
      recordEvent(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${draft.metadata.name}`)
    } catch (error) {
      // The name contains the scheduled time, so this Job was created before.
      if (isAlreadyExists(error)) return true
      if (isNamespaceEnding(error)) return false
      recordEvent(cronJob, 'Warning', 'FailedCreate', `Error creating job: ${messageOf(error)}`)
      throw error
    }
    return true
  }

  const saveStatus = async (
    cronJob: CronJob,
    scheduled: number | undefined,
    known: ReadonlySet<string>,
    { client, signal }: ReconcileContext,
  ): Promise<void> => {
    const owned = controlledBy(jobs, cronJob)
    recordChanges(cronJob, owned, known)
    const running = owned.filter(isRunning)
    const ends = owned.flatMap(({ status }) => status?.completionTime ?? [])
    const statusOf = ({ status }: CronJob): CronJobStatus => {
      // Existing references stay: they name the resource version at which the Job was first seen.
      const known = new Map((status?.active ?? []).map((reference) => [reference.uid, reference]))
      const active = running.map((job) => known.get(job.metadata.uid) ?? referenceTo(job))
      const lastSuccessfulTime = [...ends, status?.lastSuccessfulTime ?? ''].sort().at(-1) ?? ''
      return {
        ...status,
        active,
        ...(scheduled !== undefined && { lastScheduleTime: formatTime(new Date(scheduled)) }),
        ...(lastSuccessfulTime !== '' && { lastSuccessfulTime }),
      }
    }
    await cronJobExpectations.after(writeStatus(client, CronJob, cronJob, statusOf, { signal }), signal)
  }

  /**
   * Records events for finished Jobs and for unexpected ones. `known` contains the Jobs that existed before this sync.
   */
  const recordChanges = (cronJob: CronJob, owned: readonly Job[], known: ReadonlySet<string>) => {
    for (const { metadata } of owned.filter((job) => !isScheduled(job) && finalCondition(job) === undefined)) {
      const note = `Saw a job that the controller did not create or forgot: ${metadata.name}`
      recordEvent(cronJob, 'Warning', 'UnexpectedJob', note)
    }
    for (const { uid = '', name } of cronJob.status?.active ?? []) {
      const job = owned.find(({ metadata }) => metadata.uid === uid)
      if (job === undefined && !known.has(uid))
        recordEvent(cronJob, 'Normal', 'MissingJob', `Active job went missing: ${name}`)
      const condition = job && finalCondition(job)
      if (condition === undefined) continue
      recordEvent(cronJob, 'Normal', 'SawCompletedJob', `Saw completed job: ${name}, condition: ${condition.type}`)
    }
  }

  /** Creates the Jobs that are due. Returns the handled time, if any, and the next one. */
  const runDue = async (cronJob: CronJob, schedule: Schedule, run: ReconcileContext) => {
    const now = clock.now().getTime()
    const { missed, isFarBehind, next } = dueTimes(cronJob, schedule, now)
    if (missed === undefined) return { scheduled: undefined, next }
    if (isFarBehind) {
      const advice = 'Set or decrease .spec.startingDeadlineSeconds or check clock skew'
      recordEvent(cronJob, 'Warning', 'TooManyMissedTimes', `too many missed start times. ${advice}`)
    }
    const isDealtWith = await start(cronJob, missed, run)
    return { scheduled: isDealtWith ? missed : undefined, next }
  }

  return {
    name: COMPONENT,
    wakes: [each(cronJobs), eachOwned(jobs, cronJobs, () => noLabels)],
    concurrency: 5,
    async reconcile(ref: ObjectRef, run) {
      const cronJob = cronJobs.get(ref)
      if (cronJob === undefined || isBeingDeleted(cronJob)) return undefined
      const schedule = cronJob.spec.suspend === true ? undefined : scheduleOf(cronJob)
      const known = new Set(controlledBy(jobs, cronJob).map(({ metadata }) => metadata.uid))
      const due = schedule && (await runDue(cronJob, schedule, run))
      await saveStatus(cronJob, due?.scheduled, known, run)
      for (const job of surplusJobs(cronJob, controlledBy(jobs, cronJob))) await remove(cronJob, job, run)
      return due?.next === undefined ? undefined : requeueAt(new Date(due.next))
    },
  }
}

/** The name contains the scheduled minute, so that a Job cannot be created twice. */
function jobFor(cronJob: CronJob, time: number): Draft<Job> {
  const { metadata, spec } = cronJob
  const { labels, annotations } = spec.jobTemplate.metadata ?? {}
  return {
    metadata: {
      namespace: metadata.namespace,
      name: `${metadata.name}-${Math.floor(time / 60_000)}`,
      ...(labels !== undefined && { labels }),
      annotations: { ...annotations, [SCHEDULED_AT]: new Zone(spec.timeZone ?? '').format(time) },
      ownerReferences: [ownerReferenceTo(cronJob, CronJob, { controller: true })],
    },
    spec: spec.jobTemplate.spec,
  }
}

/** Jobs that users create from a CronJob do not count as scheduled runs. */
function isRunning(job: Job): boolean {
  return isScheduled(job) && finalCondition(job) === undefined
}

function isScheduled({ metadata }: Job): boolean {
  return metadata.annotations?.[SCHEDULED_AT] !== undefined
}

function referenceTo({ metadata }: Job): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata
  return { apiVersion: 'batch/v1', kind: 'Job', namespace, name, uid, resourceVersion }
}
