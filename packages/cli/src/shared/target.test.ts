import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { isElsewhere, managedTarget, type Target, targetOf, withTarget } from './target.js'

const CONTEXTS = ['hub', 'cluster1', 'prod']

const kubeconfig = (server: string) =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server } }],
    users: CONTEXTS.map((name) => ({ name, user: { token: 't' } })),
    contexts: CONTEXTS.map((name) => ({ name, context: { cluster: 'c', user: name } })),
    'current-context': 'prod',
  })

interface Surroundings {
  /** Whether there is a local fleet. */
  readonly fleet?: boolean
  /** Whether there is a ~/.kube/config. */
  readonly kubectl?: boolean
  /** What `KUBECONFIG` names. */
  readonly variable?: 'other' | 'fleet' | 'link' | 'second'
}

/** An environment of its own: a home with or without a fleet, a kubeconfig, another fleet. */
async function home(t: TestContext, { fleet = false, kubectl = false, variable }: Surroundings) {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-target-'))
  const before = { ...process.env }
  t.after(async () => {
    process.env = before
    await rm(directory, { recursive: true, force: true })
  })
  const { KUBECONFIG: _, ...environment } = before
  const files = {
    fleet: join(directory, 'fleet', 'kubeconfig'),
    kubectl: join(directory, '.kube', 'config'),
    other: join(directory, 'other'),
    link: join(directory, 'link'),
    second: join(directory, 'second', 'kubeconfig'),
  }
  process.env = {
    ...environment,
    HOME: directory,
    ORRERY_DATA: join(directory, 'fleet'),
    ...(variable !== undefined && { KUBECONFIG: files[variable] }),
  }
  for (const one of ['fleet', '.kube', 'second']) await mkdir(join(directory, one))
  await writeFile(files.other, kubeconfig('https://127.0.0.1:1'))
  await writeFile(files.second, kubeconfig('https://127.0.0.1:2'))
  await writeFile(join(directory, 'second', 'fleet.json'), '{"parts":[]}')
  if (fleet) await writeFile(files.fleet, kubeconfig('https://127.0.0.1:3'))
  if (fleet) await symlink(files.fleet, files.link)
  if (kubectl) await writeFile(files.kubectl, kubeconfig('https://127.0.0.1:4'))
  return { ...files, directory }
}

/** Each context has a user of its name. */
const contextOf = async ({ source }: Target) => (await source.read()).origin

test('targetOf: prefers options, then KUBECONFIG, then the local fleet, then the kubeconfig of kubectl', async (t) => {
  const { other, fleet, second, kubectl } = await home(t, { fleet: true, kubectl: true, variable: 'other' })
  assert.deepEqual(targetOf({ kubeconfig: second }).source.files, [second])
  assert.deepEqual(targetOf({ data: process.env.ORRERY_DATA ?? '' }).source.files, [fleet])
  assert.deepEqual(targetOf({ context: 'cluster1' }).source.files, [other])
  assert.deepEqual(targetOf({}).source.files, [other])
  assert.equal(targetOf({}).fleet, undefined)
  delete process.env.KUBECONFIG
  assert.deepEqual(targetOf({}).source.files, [fleet])
  assert.deepEqual(targetOf({ context: 'cluster1' }).source.files, [kubectl])
  process.env.KUBECONFIG = ''
  assert.deepEqual(targetOf({}).source.files, [fleet], 'an empty variable is not set')
  await rm(fleet)
  assert.deepEqual(targetOf({}).source.files, [kubectl])
})

test('targetOf: selects the hub for a kubeconfig of a fleet, by any path', async (t) => {
  for (const variable of ['fleet', 'link', 'second'] as const) {
    const files = await home(t, { fleet: true, variable })
    const target = targetOf({})
    const root = join(files.directory, variable === 'second' ? 'second' : 'fleet')
    assert.equal(target.fleet?.root, root)
    assert.match((await contextOf(target)) ?? '', /user "hub"/, 'not the current context, which kubectl may change')
    assert.match((await contextOf(managedTarget({}, 'cluster1'))) ?? '', /user "cluster1"/)
  }
})

test('targetOf: sets the origin only if no option selects a cluster and the selection is ambiguous', async (t) => {
  const cases: readonly [Surroundings, string | undefined][] = [
    [{}, undefined],
    [{ fleet: true }, undefined],
    [{ kubectl: true }, undefined],
    [{ fleet: true, kubectl: true }, 'of the local fleet'],
    [{ variable: 'other' }, undefined],
    [{ kubectl: true, variable: 'other' }, undefined],
    [{ fleet: true, variable: 'other' }, 'of $KUBECONFIG'],
    [{ fleet: true, variable: 'second' }, 'of $KUBECONFIG'],
    [{ fleet: true, variable: 'fleet' }, undefined],
    [{ fleet: true, kubectl: true, variable: 'link' }, undefined],
  ]
  for (const [surroundings, origin] of cases) {
    const { fleet, other } = await home(t, surroundings)
    assert.equal(targetOf({}).origin, origin, JSON.stringify(surroundings))
    for (const named of [{ kubeconfig: other }, { data: fleet }, { context: 'prod' }]) {
      assert.equal(targetOf(named).origin, undefined)
    }
  }
})

test('managedTarget: uses the same order as targetOf', async (t) => {
  const { other, fleet } = await home(t, { fleet: true, variable: 'other' })
  assert.deepEqual(managedTarget({}, 'cluster1').source.files, [other])
  assert.match((await contextOf(managedTarget({}, 'cluster1'))) ?? '', /prod/)
  const data = process.env.ORRERY_DATA ?? ''
  assert.deepEqual(managedTarget({ data }, 'cluster1').source.files, [fleet])
  delete process.env.KUBECONFIG
})

test('isElsewhere: considers options only', () => {
  assert.deepEqual(
    [{}, { data: 'x' }, { data: 'x', context: 'c' }, { context: 'c' }, { kubeconfig: 'k' }].map(isElsewhere),
    [false, false, false, true, true],
  )
})

test('withTarget: reports an unreachable local fleet with the command that starts it', async (t) => {
  await home(t, { fleet: true })
  await assert.rejects(
    withTarget(targetOf({}), (client) => client.getJson('/version')),
    /^Error: 127\.0\.0\.1:\d+: connection refused: .*\nThe fleet in .* is unreachable: check it with `orrery status`, start it with `orrery up`\./,
  )
})

test('withTarget: reports an unreachable cluster with the options that select another', async (t) => {
  await home(t, { variable: 'other' })
  await assert.rejects(
    withTarget(targetOf({}), (client) => client.getJson('/version')),
    /The cluster is unreachable\. Select another with --kubeconfig, --context or --data\./,
  )
})

test('withTarget: reports a directory without a fleet with the command that starts one', async (t) => {
  const { directory } = await home(t, {})
  await assert.rejects(
    withTarget(targetOf({ data: join(directory, 'none') }), async () => undefined),
    /\nNo fleet in .*none: start one with `orrery up --data .*none`\./,
  )
})
