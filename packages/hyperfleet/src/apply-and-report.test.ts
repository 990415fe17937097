import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  alreadyExists,
  badRequest,
  internalError,
  StatusError,
  serviceUnavailable,
  timeout,
  tooManyRequests,
  unauthorized,
} from '@orrery/kinds/values'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { feedback } from '@orrery/maestro'
import { type ApplyAndReportOptions, applyAndReport } from './apply-and-report.js'
import { FakeMaestro, hostedClusterWork } from './works/works.fixture.js'

const APPLIED = { status: 'True', reason: 'AppliedManifestWorkComplete', message: 'Apply manifest work complete' }
const AVAILABLE = {
  conditions: [{ type: 'Available', status: 'True' }],
  controlPlaneEndpoint: 'api.my-cluster.example.com',
}

async function startAdapter(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'adapter-'))
  t.after(() => rm(directory, { recursive: true }))
  const maestro = new FakeMaestro()
  const clock = new FakeClock()
  const reportFile = join(directory, 'results', 'adapter-report.json')
  const resultFile = join(directory, 'results', 'adapter-result.json')
  const run = async (options: Partial<ApplyAndReportOptions> = {}) => {
    const running = applyAndReport({
      client: maestro,
      work: hostedClusterWork(),
      availableReason: 'ControlPlaneReady',
      reportFile,
      resultFile,
      clock,
      ...options,
    })
    let isDone = false
    const settled = running.then(
      () => undefined,
      (error: unknown) => error as Error,
    )
    void settled.then(() => {
      isDone = true
    })
    await eventually('the adapter ends', () => isDone, { meanwhile: () => clock.advance(500) })
    return settled
  }
  const read = async (file: string) => JSON.parse(await readFile(file, 'utf8'))
  return { maestro, clock, run, report: () => read(reportFile), result: () => read(resultFile), directory }
}

const conditionsIn = ({ conditions }: { conditions: { type: string; status: string; reason: string }[] }) =>
  conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`)

test('applyAndReport: creates a work that does not exist and reports that it is provisioning', async (t) => {
  const { maestro, run, report, result, directory } = await startAdapter(t)
  assert.equal(await run(), undefined)
  assert.deepEqual(maestro.calls, [
    'get us-east-mgmt-01/hostedcluster-abc123',
    'create us-east-mgmt-01/hostedcluster-abc123',
  ])
  assert.deepEqual(await report(), {
    conditions: [
      { type: 'Applied', status: 'True', reason: 'ManifestWorkCreated' },
      { type: 'Available', status: 'False', reason: 'Provisioning' },
      { type: 'Health', status: 'True', reason: 'NoIssues' },
    ],
  })
  const { status, reason, message } = await result()
  assert.deepEqual(
    { status, reason, message },
    { status: 'success', reason: 'Provisioning', message: 'No message provided' },
  )
  assert.deepEqual((await readdir(join(directory, 'results'))).sort(), ['adapter-report.json', 'adapter-result.json'])
})

test('applyAndReport: reports the feedback of an existing work', async (t) => {
  const { maestro, run, report } = await startAdapter(t)
  await run()
  maestro.report(hostedClusterWork(), AVAILABLE, APPLIED)
  await run({
    data: (work) => ({
      control_plane_endpoint: feedback<typeof AVAILABLE>(work, 'status')?.controlPlaneEndpoint,
    }),
  })
  assert.deepEqual(await report(), {
    conditions: [
      { type: 'Applied', status: 'True', reason: 'ManifestWorkExists' },
      { type: 'Available', status: 'True', reason: 'ControlPlaneReady' },
      { type: 'Health', status: 'True', reason: 'NoIssues' },
    ],
    data: { control_plane_endpoint: 'api.my-cluster.example.com' },
  })
})

test('applyAndReport: waits until the resource is available, and reads the work only when it changes', async (t) => {
  const { maestro, run, report } = await startAdapter(t)
  let reads = 0
  await run({
    waitMilliseconds: 600_000,
    data: () => {
      reads += 1
      if (reads === 2) maestro.report(hostedClusterWork(), AVAILABLE, APPLIED)
      return undefined
    },
  })
  assert.deepEqual(conditionsIn(await report())[1], 'Available=True ControlPlaneReady')
  assert.deepEqual(
    maestro.calls.map((call) => call.split(' ')[0]),
    ['get', 'create', 'watch', 'get', 'get'],
  )
})

test('applyAndReport: creates a work again that is deleted while it waits', async (t) => {
  const { maestro, run } = await startAdapter(t)
  let reads = 0
  await run({
    waitMilliseconds: 60_000,
    data: () => {
      reads += 1
      if (reads === 2) void maestro.manifestWorks('us-east-mgmt-01').delete('hostedcluster-abc123')
      return undefined
    },
  })
  assert.equal(maestro.calls.filter((call) => call.startsWith('create')).length, 2)
})

test('applyAndReport: reports that Maestro is unavailable if it is at the end of the wait', async (t) => {
  const { maestro, run, report } = await startAdapter(t)
  const error = serviceUnavailable('no connection')
  let reads = 0
  const failed = await run({
    waitMilliseconds: 60_000,
    data: () => {
      reads += 1
      if (reads === 2) maestro.failures.push({ verb: 'get', error })
      return undefined
    },
  })
  assert.equal(failed, error)
  assert.equal(conditionsIn(await report())[2], 'Health=False MaestroUnavailable')
})

test('applyAndReport: writes the result so far when it is stopped', async (t) => {
  const { run, result } = await startAdapter(t)
  const stop = new AbortController()
  assert.equal(await run({ waitMilliseconds: 2 ** 40, signal: stop.signal, data: () => void stop.abort() }), undefined)
  assert.deepEqual((await result()).reason, 'Provisioning')
})

test('applyAndReport: reports what the agent failed to apply', async (t) => {
  const { maestro, run, report, result } = await startAdapter(t)
  await run()
  const failed = { status: 'False', reason: 'AppliedManifestWorkFailed', message: 'no kind HostedCluster' }
  maestro.report(hostedClusterWork(), {}, failed)
  await run()
  assert.deepEqual(conditionsIn(await report()), [
    'Applied=False AppliedManifestWorkFailed',
    'Available=False ManifestWorkNotApplied',
    'Health=False ApplyFailed',
  ])
  const { status, reason, message } = await result()
  assert.deepEqual({ status, reason, message }, { status: 'failure', reason: 'ApplyFailed', message: failed.message })
})

test('applyAndReport: updates a work of an earlier generation and ignores its feedback', async (t) => {
  const { maestro, run, report } = await startAdapter(t)
  await run({ work: hostedClusterWork(1) })
  maestro.report(hostedClusterWork(1), AVAILABLE, APPLIED)
  await run({ work: hostedClusterWork(2) })
  assert.deepEqual(conditionsIn(await report()).slice(0, 2), [
    'Applied=True ManifestWorkUpdated',
    'Available=False Provisioning',
  ])
  await run({ work: hostedClusterWork(2) })
  assert.deepEqual(conditionsIn(await report()).slice(0, 2), [
    'Applied=True ManifestWorkExists',
    'Available=False Provisioning',
  ])
  assert.equal(maestro.calls.filter((call) => call.startsWith('patch')).length, 1)
})

for (const [error, reason, status] of [
  [serviceUnavailable('no connection'), 'MaestroUnavailable', 'Unknown'],
  [timeout('too slow'), 'MaestroUnavailable', 'Unknown'],
  [tooManyRequests('slow down', 1), 'MaestroUnavailable', 'Unknown'],
  [unauthorized(), 'MaestroUnauthenticated', 'Unknown'],
  [badRequest('the manifests are empty'), 'InvalidManifestWork', 'False'],
  [internalError('broken'), 'ApplyFailed', 'Unknown'],
] as const) {
  test(`applyAndReport: reports ${reason} for ${error.code}, once the client has given up`, async (t) => {
    const { maestro, run, report, result } = await startAdapter(t)
    maestro.failures.push({ verb: 'create', error })
    assert.equal(await run(), error)
    assert.equal(maestro.calls.length, 2)
    assert.equal((await result()).status, 'failure')
    assert.deepEqual(conditionsIn(await report()), [
      `Applied=${status} ${reason}`,
      `Available=${status} ${reason}`,
      `Health=False ${reason}`,
    ])
  })
}

test('applyAndReport: reports the status of its own work if another run created it first', async (t) => {
  const { maestro, run, report } = await startAdapter(t)
  const race = alreadyExists({ group: '', resource: 'manifestworks' }, 'hostedcluster-abc123')
  maestro.put(hostedClusterWork())
  maestro.report(hostedClusterWork(), AVAILABLE, APPLIED)
  const { works } = maestro
  const hidden = new Map(works)
  works.clear()
  maestro.failures.push({ verb: 'create', error: race })
  // The work appears between the first read and the create.
  const original = maestro.manifestWorks.bind(maestro)
  maestro.manifestWorks = (consumer) => {
    const inner = original(consumer)
    return {
      ...inner,
      create: async (work) => {
        for (const [key, value] of hidden) works.set(key, value)
        return inner.create(work)
      },
    }
  }
  assert.equal(await run(), undefined)
  assert.deepEqual(conditionsIn(await report())[1], 'Available=True ControlPlaneReady')
})

test('applyAndReport: does not touch a work of another adapter', async (t) => {
  const { maestro, run, report } = await startAdapter(t)
  const other = hostedClusterWork(1)
  maestro.put({ ...other, metadata: { ...other.metadata, labels: { 'hyperfleet.io/adapter': 'dns' } } })
  const error = await run({ work: hostedClusterWork(2) })
  assert.match(
    error?.message ?? '',
    /belongs to another owner: it has the label hyperfleet.io\/adapter=dns, not controlplane/,
  )
  assert.equal(conditionsIn(await report())[2], 'Health=False OwnedByAnother')
  assert.equal(
    maestro.calls.some((call) => call.startsWith('patch')),
    false,
  )
})

test('applyAndReport: names a consumer that is not registered', async (t) => {
  const { maestro, run } = await startAdapter(t)
  const message = 'insert on table "resources" violates foreign key constraint "fk_resources_consumers"'
  maestro.failures.push({ verb: 'create', error: new StatusError({ code: 500, message } as never) })
  assert.match((await run())?.message ?? '', /^consumer "us-east-mgmt-01" is not registered in Maestro: /)
})

test('applyAndReport: names the missing consumer of a work', async (t) => {
  const { run } = await startAdapter(t)
  const error = await run({ work: { metadata: { name: 'web' } } as never })
  assert.equal(error?.message, 'metadata.namespace: Required value: set it to the name of the consumer')
})
