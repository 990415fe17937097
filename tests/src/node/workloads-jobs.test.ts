import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CoreEvent, CronJob, Job, Pod, type PodTemplateSpec } from '@orrery/kinds'
import { findCondition, isConditionTrue } from '@orrery/kinds/values'
import { namespace, type Spoke, startSpoke, template } from './spoke.js'

const work = { namespace, name: 'work' }

function once(): PodTemplateSpec {
  const { metadata, spec } = template('work')
  return { ...(metadata !== undefined && { metadata }), spec: { ...spec, restartPolicy: 'Never' } }
}

function createJob({ client }: Spoke, spec: Partial<Job['spec']> = {}) {
  return client.create(Job, { metadata: work, spec: { template: once(), ...spec } })
}

const isComplete = ({ status }: Job) => isConditionTrue(status?.conditions, 'Complete')
const hasFailed = ({ status }: Job) => isConditionTrue(status?.conditions, 'Failed')

test('Job: runs completions pods, parallelism at a time', async (t) => {
  const spoke = await startSpoke(t, { play: () => 'Succeeded' })
  let most = 0
  const pods = spoke.informers.of(Pod)
  pods.subscribe(() => {
    const active = pods.list(namespace).filter(({ status }) => status?.phase !== 'Succeeded')
    most = Math.max(most, active.length)
  })
  await createJob(spoke, { completions: 5, parallelism: 2 })
  const { status } = await spoke.until(Job, 'work', 'it is complete', isComplete)
  assert.equal(status?.succeeded, 5)
  assert.equal(status?.failed ?? 0, 0)
  assert.notEqual(status?.completionTime, undefined)
  assert.equal(findCondition(status?.conditions, 'SuccessCriteriaMet')?.reason, 'CompletionsReached')
  assert.ok(most <= 2, `${most} ran at the same time`)
  await spoke.eventually('every pod may go', async () =>
    (await spoke.list(Pod)).every(({ metadata }) => metadata.finalizers === undefined),
  )
})

test('Job: retries failing pods with backoff, and gives up', async (t) => {
  const spoke = await startSpoke(t, { play: () => 'Failed' })
  await createJob(spoke, { backoffLimit: 2 })
  for (const [failed, pause] of [
    [1, 10_000],
    [2, 20_000],
  ] as const) {
    await spoke.until(Job, 'work', `${failed} have failed`, ({ status }) => status?.failed === failed)
    await spoke.eventually('it waits', () =>
      spoke.group.health.some(({ name, waiting }) => name === 'job-controller' && waiting > 0),
    )
    assert.equal((await spoke.list(Pod)).length, failed)
    spoke.clock.advance(pause)
  }
  const { status } = await spoke.until(Job, 'work', 'it has failed', hasFailed)
  assert.equal(status?.failed, 3)
  assert.equal(findCondition(status?.conditions, 'Failed')?.reason, 'BackoffLimitExceeded')
  assert.equal(findCondition(status?.conditions, 'FailureTarget')?.reason, 'BackoffLimitExceeded')
})

test('Job: ends at its deadline, and is deleted after its TTL', async (t) => {
  const spoke = await startSpoke(t)
  await createJob(spoke, { activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 100 })
  await spoke.until(Job, 'work', 'it runs', ({ status }) => status?.ready === 1)
  spoke.clock.advance(61_000)
  const { status } = await spoke.until(Job, 'work', 'it has failed', hasFailed)
  assert.equal(findCondition(status?.conditions, 'Failed')?.reason, 'DeadlineExceeded')
  assert.equal(status?.active ?? 0, 0)
  spoke.clock.advance(101_000)
  await spoke.eventually('it is gone', async () => (await spoke.client.find(Job, work)) === undefined)
  await spoke.eventually('its pods are gone', async () => (await spoke.list(Pod)).length === 0)
})

test('Job: has no pods and no start time while it is suspended', async (t) => {
  const spoke = await startSpoke(t)
  await createJob(spoke)
  await spoke.until(Job, 'work', 'it runs', ({ status }) => status?.ready === 1 && status.startTime !== undefined)
  await spoke.client.patch(Job, work, { spec: { suspend: true } })
  const suspended = await spoke.until(Job, 'work', 'it is suspended', ({ status }) =>
    isConditionTrue(status?.conditions, 'Suspended'),
  )
  assert.equal(suspended.status?.startTime, undefined)
  await spoke.eventually('its pod is gone', async () => (await spoke.list(Pod)).length === 0)
  await spoke.client.patch(Job, work, { spec: { suspend: false } })
  const { status } = await spoke.until(Job, 'work', 'it runs again', (job) => job.status?.ready === 1)
  assert.equal(status?.failed ?? 0, 0, 'a pod that was taken away has not failed')
})

test('Job: each index of an indexed Job succeeds once, and one that keeps failing is given up', async (t) => {
  const spoke = await startSpoke(t, {
    play: ({ metadata }) =>
      metadata.annotations?.['batch.kubernetes.io/job-completion-index'] === '1' ? 'Failed' : 'Succeeded',
  })
  await createJob(spoke, {
    completionMode: 'Indexed',
    completions: 4,
    parallelism: 4,
    backoffLimitPerIndex: 1,
  })
  await spoke.until(Job, 'work', 'the others are done', ({ status }) => status?.completedIndexes === '0,2,3')
  spoke.clock.advance(10_000)
  const { status } = await spoke.until(Job, 'work', 'it has failed', hasFailed)
  assert.equal(findCondition(status?.conditions, 'Failed')?.reason, 'FailedIndexes')
  assert.equal(status?.failedIndexes, '1')
  assert.equal(status?.succeeded, 3)
  assert.equal(status?.failed, 2)
  const [first] = await spoke.list(Pod, 'batch.kubernetes.io/job-completion-index=0')
  assert.equal(first?.spec.hostname, 'work-0')
  assert.equal(first?.spec.containers[0]?.env?.[0]?.name, 'JOB_COMPLETION_INDEX')
})

test('Job: a pod failure policy can end it at once', async (t) => {
  const spoke = await startSpoke(t, { play: () => 'Failed' })
  const rules = [{ action: 'FailJob' as const, onExitCodes: { operator: 'In' as const, values: [1] } }]
  await createJob(spoke, { podFailurePolicy: { rules } })
  const { status } = await spoke.until(Job, 'work', 'it has failed', hasFailed)
  const condition = findCondition(status?.conditions, 'Failed')
  assert.equal(condition?.reason, 'PodFailurePolicy')
  assert.match(condition?.message ?? '', /failed with exit code 1 matching FailJob rule at index 0/)
})

test('Job: its pods are deleted with it', async (t) => {
  const spoke = await startSpoke(t)
  await createJob(spoke)
  await spoke.until(Job, 'work', 'it runs', ({ status }) => status?.ready === 1)
  await spoke.client.delete(Job, work, { propagationPolicy: 'Background' })
  await spoke.eventually('nothing is left', async () => (await spoke.list(Pod)).length === 0)
})

const hourly = { namespace, name: 'hourly' }

async function createCronJob({ client }: Spoke, spec: Partial<CronJob['spec']> = {}) {
  const jobTemplate = { metadata: { labels: { app: 'hourly' } }, spec: { template: once() } }
  return client.create(CronJob, { metadata: hourly, spec: { schedule: '0 * * * *', jobTemplate, ...spec } })
}

const isAsleep = (spoke: Spoke) =>
  spoke.group.health.some(
    ({ name, waiting, ready, running }) =>
      name === 'cronjob-controller' && waiting === 1 && ready === 0 && running === 0,
  )

test('CronJob: starts a Job when it is due, and keeps a few of them', async (t) => {
  const spoke = await startSpoke(t, { play: () => 'Succeeded' })
  await createCronJob(spoke, { successfulJobsHistoryLimit: 2 })
  for (let hour = 1; hour <= 4; hour++) {
    await spoke.eventually('it waits for the next hour', () => isAsleep(spoke))
    spoke.clock.advance(3_600_000)
    const time = `2030-01-01T0${hour}:00:00Z`
    await spoke.until(CronJob, 'hourly', `it started one at ${time}`, ({ status }) => status?.lastScheduleTime === time)
    const name = `hourly-${Date.parse(time) / 60_000}`
    await spoke.until(Job, name, 'it is complete', isComplete)
    await spoke.until(CronJob, 'hourly', 'that was seen', ({ status }) => (status?.active ?? []).length === 0)
  }
  await spoke.eventually('two are kept', async () => (await spoke.list(Job)).length === 2)
  const { status } = await spoke.client.get(CronJob, hourly)
  assert.match(status?.lastSuccessfulTime ?? '', /^2030-01-01T04:0/)
})

test('CronJob: keeps or replaces a running Job, by its concurrency policy', async (t) => {
  const spoke = await startSpoke(t)
  await createCronJob(spoke, { concurrencyPolicy: 'Forbid' })
  await spoke.eventually('it waits', () => isAsleep(spoke))
  spoke.clock.advance(3_600_000)
  await spoke.until(CronJob, 'hourly', 'one runs', ({ status }) => status?.active?.length === 1)
  const [first] = await spoke.list(Job)
  await spoke.eventually('it waits', () => isAsleep(spoke))
  spoke.clock.advance(3_600_000)
  await spoke.eventually('it has reconciled', () => isAsleep(spoke))
  assert.deepEqual(
    (await spoke.list(Job)).map(({ metadata }) => metadata.uid),
    [first?.metadata.uid],
  )
  await spoke.client.patch(CronJob, hourly, { spec: { concurrencyPolicy: 'Replace' } })
  await spoke.eventually('the second took its place', async () => {
    const [job, ...others] = await spoke.list(Job)
    return others.length === 0 && job !== undefined && job.metadata.uid !== first?.metadata.uid
  })
  const { uid } = await spoke.client.get(CronJob, hourly).then(({ metadata }) => metadata)
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'hourly', uid, controller: true }
  const metadata = { namespace, name: 'byhand', labels: { app: 'byhand' }, ownerReferences: [owner] }
  await spoke.client.create(Job, { metadata, spec: { template: once() } })
  await spoke.eventually('that one is not of the schedule', async () => {
    const told = (await spoke.client.list(CoreEvent, { namespace })).items.map(({ reason }) => reason)
    assert.ok(!told.includes('MissingJob'), 'what is replaced is not missed')
    return told.includes('UnexpectedJob')
  })
  const { status } = await spoke.client.get(CronJob, hourly)
  assert.equal(status?.active?.length, 1)
})
