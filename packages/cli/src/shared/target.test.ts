import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { isElsewhere, targetOf, withTarget } from './target.js'

const KUBECONFIG = JSON.stringify({
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'u', user: { token: 't' } }],
  contexts: [
    { name: 'hub', context: { cluster: 'c', user: 'u' } },
    { name: 'cluster1', context: { cluster: 'c', user: 'u' } },
  ],
  'current-context': 'hub',
})

/** An environment of its own, with or without a fleet in the usual place. */
async function home(t: TestContext, { withFleet }: { withFleet: boolean }) {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-target-'))
  const before = { ...process.env }
  t.after(async () => {
    process.env = before
    await rm(directory, { recursive: true, force: true })
  })
  process.env = { ...before, ORRERY_DATA: join(directory, 'fleet'), KUBECONFIG: join(directory, 'config') }
  await mkdir(join(directory, 'fleet'))
  await writeFile(join(directory, 'config'), KUBECONFIG)
  if (withFleet) await writeFile(join(directory, 'fleet', 'kubeconfig'), KUBECONFIG)
  return directory
}

test('the local fleet comes first, whether it runs or not', async (t) => {
  const directory = await home(t, { withFleet: true })
  const target = targetOf({})
  assert.deepEqual(target.source.files, [join(directory, 'fleet', 'kubeconfig')])
  await assert.rejects(
    withTarget(target, (client) => client.getJson('/version')),
    /nothing listens there\nThe fleet in .* may be stopped: `orrery status` says more, `orrery up` starts it\./,
  )
})

test('without a local fleet it is what kubectl would use', async (t) => {
  const directory = await home(t, { withFleet: false })
  assert.deepEqual(targetOf({}).source.files, [join(directory, 'config')])
  await assert.rejects(
    withTarget(targetOf({}), (client) => client.getJson('/version')),
    /Is the cluster running\? Another is chosen with --kubeconfig and --context\./,
  )
})

test('a context by itself is one of what kubectl uses; with --data, one of the fleet', async (t) => {
  const directory = await home(t, { withFleet: true })
  assert.deepEqual(targetOf({ context: 'cluster1' }).source.files, [join(directory, 'config')])
  const inFleet = targetOf({ context: 'cluster1', data: join(directory, 'fleet') })
  assert.deepEqual(inFleet.source.files, [join(directory, 'fleet', 'kubeconfig')])
  assert.deepEqual(
    [{}, { data: 'x' }, { data: 'x', context: 'c' }, { context: 'c' }, { kubeconfig: 'k' }].map(isElsewhere),
    [false, false, false, true, true],
  )
})

test('a directory without a fleet is told, with what to do', async (t) => {
  const directory = await home(t, { withFleet: false })
  await assert.rejects(
    withTarget(targetOf({ data: join(directory, 'none') }), async () => undefined),
    /there is no such file\nThere is no fleet in .*none: start one with `orrery up --data .*none`\./,
  )
})
