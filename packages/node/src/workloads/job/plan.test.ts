import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job, Pod } from '@orrery/kinds'
import { planOf } from './plan.js'
import { resultOf } from './result.js'
import { tallyOf } from './tally.js'

const now = new Date('2030-01-01T00:00:00Z')
const BILLIONS = 2_147_483_647

function jobOf(spec: Partial<Job['spec']>): Job {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c' }] } }
  const metadata = { name: 'job', namespace: 'default', uid: 'j' }
  return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template, ...spec } } as unknown as Job
}

function failedPod(index: number): Pod {
  const metadata = {
    name: `job-${index}`,
    namespace: 'default',
    uid: `p${index}`,
    annotations: { 'batch.kubernetes.io/job-completion-index': String(index) },
    finalizers: ['batch.kubernetes.io/job-tracking'],
  }
  const state = { terminated: { exitCode: 1, finishedAt: '2029-12-31T23:59:59Z' } }
  return { metadata, spec: {}, status: { phase: 'Failed', containerStatuses: [{ state }] } } as unknown as Pod
}

const planned = (job: Job, pods: Pod[] = []) => planOf(job, tallyOf(job, pods), now)

test('planOf: a job with billions of pods creates 500 at a time', () => {
  assert.equal(planned(jobOf({ parallelism: BILLIONS })).create.length, 500)
  const indexed = jobOf({ completionMode: 'Indexed', parallelism: 100_000, completions: BILLIONS })
  assert.equal(planned(indexed).create.length, 500)
})

test('planOf: a job with billions of indexes waits after a failure without going over them', () => {
  const job = jobOf({ completionMode: 'Indexed', parallelism: 1, completions: BILLIONS })
  const { create, next } = planned(job, [failedPod(0)])
  assert.deepEqual(create, [])
  assert.ok(next !== undefined && next > now)
  const limited = jobOf({ completionMode: 'Indexed', parallelism: 1, completions: BILLIONS, backoffLimitPerIndex: 3 })
  const other = planned(limited, [failedPod(0)])
  assert.equal(other.create[0]?.metadata.annotations?.['batch.kubernetes.io/job-completion-index'], '1')
})

test('resultOf: a success policy can name billions of indexes', () => {
  const rules = [{ succeededIndexes: '0-999999999' }]
  const job = jobOf({ completionMode: 'Indexed', completions: BILLIONS, successPolicy: { rules } })
  assert.equal(resultOf(job, tallyOf(job, []), now), undefined)
})
