import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bootstrapKubeconfig, startAgent } from '@orrery/agent'
import {
  ManagedCluster,
  ManagedClusterCondition,
  ManifestWork,
  ManifestWorkDryRun,
  Placement,
  REPLICA_SET_LABEL,
  spokeCrds,
} from '@orrery/api'
import { ensureBootstrapToken, installHub } from '@orrery/hub'
import { acceptClusterWhenHere } from '@orrery/hub/operations'
import { ConfigMap, CustomResourceDefinition, type KubeObject, Namespace } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { eventually, patience } from '@orrery/kube/testing'
import { orrery } from '../support/cli-here.js'
import { afterwards } from '../support/server.js'
import { CommandHub } from './command-hub.js'

/** A hub with clusters that have joined and are available, all in this process. */
async function startFleet<Name extends string = 'edge'>(t: TestContext, ...more: Name[]) {
  const commands = await CommandHub.start(t)
  const hub = await commands.serve('hub')
  await installHub(hub.client)
  await commands.runHub(hub.client)
  const { url: server, certificateAuthority: ca } = hub.server
  const bootstrap = await bootstrapKubeconfig({ server, ca, token: await ensureBootstrapToken(hub.client) })
  const join = async (clusterName: string) => {
    const { client: spoke } = await commands.serve(clusterName)
    for (const crd of spokeCrds()) await spoke.create(CustomResourceDefinition, crd as never)
    const agent = await startAgent({ spoke, clusterName, bootstrap: { kubeconfigs: [bootstrap] } })
    afterwards(t, () => agent.close())
    await acceptClusterWhenHere(hub.client, clusterName, { signal: patience() })
    await eventually('the cluster is available', async () => {
      const cluster = await hub.client.find(ManagedCluster, { name: clusterName })
      return isConditionTrue(cluster?.status?.conditions, ManagedClusterCondition.Available)
    })
    return [clusterName, spoke] as const
  }
  const clusters = Object.fromEntries(await Promise.all(['edge', ...more].map(join)))
  return { commands, hub: hub.client, ...(clusters as Record<'edge' | Name, KubeClient>) }
}

const MANIFESTS = `
apiVersion: v1
kind: ConfigMap
metadata: { name: good, namespace: default }
data: { a: "1" }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: lost, namespace: nowhere }
`

test('orrery plan, create work, get works, delete work: manage a work on a cluster', async (t) => {
  const { commands, edge } = await startFleet(t)
  const file = join(commands.directory, 'manifests.yaml')
  await writeFile(file, MANIFESTS)
  const plan = () => commands.run('plan', '-f', file, '--clusters', 'edge')

  const before = await plan()
  assert.equal(before.code, 1)
  assert.match(before.out, /^=== edge\n\+ ConfigMap default\/good\n/)
  assert.match(before.out, /! ConfigMap nowhere\/lost would be rejected: .*namespaces "nowhere" not found.*\n/)
  assert.match(before.out, /1 to create, 1 rejected/)
  assert.equal(await edge.find(ConfigMap, { namespace: 'default', name: 'good' }), undefined)

  const created = await commands.run('create', 'work', 'w', '-f', file, '--clusters', 'edge', '--wait', '20')
  assert.equal(created.code, 1)
  assert.match(created.out, /^work edge\/w created\n/)
  const works = await commands.run('get', 'works')
  assert.match(works.out, /^edge +w +False +\w+ +\w+ +\w+ +1\/2 /m)
  assert.match(works.out, /edge\/w: manifest 2 \(ConfigMap nowhere\/lost\) AppliedManifestFailed: .*Add a manifest for/)
  assert.equal((await edge.get(ConfigMap, { namespace: 'default', name: 'good' })).data?.a, '1')

  await writeFile(file, MANIFESTS.replace('"1"', '"2"').split('---')[0] ?? '')
  const change = await plan()
  assert.equal(change.code, 0, change.errors)
  assert.match(change.out, /~ ConfigMap default\/good\n.*- {3}a: "1"\n {4}\+ {3}a: "2"\n/s)
  const refused = await commands.run('create', 'work', 'w', '-f', file, '--clusters', 'edge', '--seal')
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.match(refused.errors, /^The manifests contain no Secrets: nothing is sealed\.\n.*--overwrite/)
  const changed = await commands.run('create', 'work', 'w', '-f', file, '--clusters', 'edge', '--overwrite', '--wait')
  assert.deepEqual([changed.code, changed.out], [0, 'work edge/w changed\nready\n'], changed.errors)

  const listed = await commands.json<{ items: KubeObject[] }>('get', 'works', 'w', '--cluster', 'edge')
  assert.deepEqual(
    listed.items.map(({ kind, metadata }) => [kind, metadata.name]),
    [['ManifestWork', 'w']],
  )
  const names = await orrery(
    ...['__complete', '--', 'delete', 'work', '--kubeconfig', commands.kubeconfig, '--context', 'hub', ''],
  )
  assert.equal(names.out, 'w\n')
  const deleted = await commands.run('delete', 'work', 'w', '--cluster', 'edge')
  assert.equal(deleted.out, 'work edge/w is being deleted\n')
  await eventually(
    'the object is gone',
    async () => (await edge.find(ConfigMap, { namespace: 'default', name: 'good' })) === undefined,
  )
})

test("orrery plan: uses the hub, groups clusters with the same changes and warns of others' fields", async (t) => {
  const { commands, hub, edge, west, east } = await startFleet(t, 'west', 'east')
  const file = join(commands.directory, 'manifests.yaml')
  const secret = 'apiVersion: v1\nkind: Secret\nmetadata: { name: s, namespace: default }\ndata: { a: c2VjcmV0 }\n'
  await writeFile(file, `${MANIFESTS.split('---')[0]}---\n${secret}`)
  const data = { a: '7' }
  for (const cluster of [edge, west]) {
    await cluster.create(ConfigMap, { metadata: { name: 'good', namespace: 'default' }, data }, { fieldManager: 'ops' })
  }
  const seen: unknown[] = []
  const watching = new AbortController()
  const watch = (async () => {
    for await (const event of hub.watch(ManifestWorkDryRun, { signal: watching.signal })) seen.push(event)
  })().catch(() => undefined)
  const plan = await commands.run('plan', '-f', file, '--clusters', 'edge,east,west')
  watching.abort()
  await watch
  assert.equal(plan.code, 0, plan.errors)
  const warning = 'warning: data.a is managed by "ops" and changes from "7" to "1"'
  assert.match(plan.out, /^=== edge, west\n~ ConfigMap default\/good\n/)
  assert.ok(plan.out.includes(`    ${warning}\n`))
  assert.match(plan.out, /\n=== east\n\+ ConfigMap default\/good\n/)
  assert.equal(plan.out.split('~ ConfigMap').length, 2)
  assert.doesNotMatch(plan.out + JSON.stringify(seen), /c2VjcmV0/)
  assert.equal(seen.length > 0, true)
  assert.deepEqual((await hub.list(ManifestWorkDryRun)).items, [])
  assert.equal(await east.find(ConfigMap, { namespace: 'default', name: 'good' }), undefined)

  const unknown = await commands.run('plan', '-f', file, '--clusters', 'east,nowhere')
  assert.equal(unknown.code, 1)
  assert.match(unknown.out, /=== nowhere\ncluster nowhere not found: run `orrery get clusters` to list clusters/)
})

test('orrery plan --work: shows deletions and groups clusters with the same changes', async (t) => {
  const { commands } = await startFleet(t, 'west')
  const file = join(commands.directory, 'manifests.yaml')
  const [good = ''] = MANIFESTS.split('---')
  await writeFile(file, `${good}---${good.replace('good', 'other')}`)
  const clusters = ['--clusters', 'edge,west']
  const created = await commands.run('create', 'work', 'w', '-f', file, ...clusters, '--wait')
  assert.equal(created.code, 0, created.errors)

  await writeFile(file, good.replace('"1"', '"2"'))
  const plan = await commands.run('plan', '-f', file, '--work', 'w', ...clusters)
  assert.equal(plan.code, 0, plan.errors)
  assert.match(plan.out, /^=== edge, west\n~ ConfigMap default\/good\n/)
  assert.match(plan.out, /\n- ConfigMap default\/other\n1 to change, 1 to delete\n\n$/)
  assert.equal(plan.out.split('===').length, 2, plan.out)

  const mistyped = await commands.run('plan', '-f', file, '--work', 'v', ...clusters)
  assert.deepEqual([mistyped.code, mistyped.out], [1, ''])
  assert.match(mistyped.errors, /work v not found on edge, west: omit --work to plan a new work/)
})

const REFUSED = `
apiVersion: v1
kind: ConfigMap
metadata: { name: good, namespace: default }
data: { a: "1", long: ${'x'.repeat(200)} }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: default }
spec: { ports: [{ port: 0 }] }
---
apiVersion: example.com/v1
kind: Gadget
metadata: { name: g, namespace: default }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: homeless }
`

test('orrery get works: prints the manifest, the reason and the fix of each problem', async (t) => {
  const { commands, hub } = await startFleet(t)
  const file = join(commands.directory, 'refused.yaml')
  await writeFile(file, REFUSED)
  const created = await commands.run('create', 'work', 'w', '-f', file, '--clusters', 'edge', '--wait', '20')
  assert.equal(created.code, 1)
  const resourceIdentifier = { group: '', resource: 'configmaps', namespace: '*', name: '*' }
  const jsonPaths = [
    { name: 'a', path: '.data.a' },
    { name: 'long', path: '.data.long' },
  ]
  const manifestConfigs = [{ resourceIdentifier, feedbackRules: [{ type: 'JSONPaths', jsonPaths }] }]
  await hub.patch(ManifestWork, { namespace: 'edge', name: 'w' }, { spec: { manifestConfigs } })
  await eventually('the values are there', async () => {
    const { status } = await hub.get(ManifestWork, { namespace: 'edge', name: 'w' })
    return status?.resourceStatus?.manifests?.some(({ statusFeedback }) => statusFeedback !== undefined) ?? false
  })

  const problem = (which: string, why: string, advice: string) =>
    new RegExp(
      `^  edge/w: manifest ${which} AppliedManifestFailed: Failed to apply manifest: .*${why}.*\\. ${advice}$`,
      'm',
    )
  const problems = [
    problem(
      '2 \\(Service default/web\\)',
      'spec.ports\\[0\\].port: Invalid value: 0',
      'Correct spec.ports\\[0\\].port, .*',
    ),
    problem('3 \\(Gadget default/g\\)', 'no matches for kind "Gadget"', 'Install the CustomResourceDefinition .*'),
    problem('4 \\(ConfigMap homeless\\)', 'are namespaced', 'Set metadata.namespace'),
  ]
  const table = await commands.run('get', 'works')
  assert.match(table.out, /^edge +w +False +\w+ +True +True +1\/4 +\S+$/m)
  const wide = await commands.run('get', 'works', '-o', 'wide')
  assert.match(wide.out, /^edge +w +False .* good\.a=1 good\.long=x{63}…$/m)
  for (const { out } of [table, wide]) for (const expected of problems) assert.match(out, expected)

  const { items } = await commands.json<{ items: ManifestWork[] }>('get', 'works')
  const manifests = items[0]?.status?.resourceStatus?.manifests ?? []
  const told = manifests.map(({ conditions }) => conditions.find(({ type }) => type === 'Applied'))
  assert.deepEqual(
    told.map((condition) => `${condition?.status} ${condition?.reason}`),
    ['True AppliedManifestComplete', ...Array.from({ length: 3 }, () => 'False AppliedManifestFailed')],
  )
  assert.match(told[1]?.message ?? '', /Correct spec\.ports\[0\]\.port, .* in the manifest$/)
})

test('orrery create work --replicaset, delete work --replicaset: manage a replica set by its placement', async (t) => {
  const commands = await CommandHub.start(t)
  const { client } = await commands.serve('hub')
  await installHub(client)
  await commands.runHub(client)
  await client.create(Namespace, { metadata: { name: 'shop' } })
  await client.create(Placement, { metadata: { namespace: 'shop', name: 'eu' }, spec: {} })
  const file = join(commands.directory, 'manifests.yaml')
  await writeFile(file, MANIFESTS)
  const placed = ['--placement', 'shop/eu', '--replicaset']
  const created = await commands.run('create', 'work', 'web', '-f', file, ...placed)
  assert.deepEqual([created.code, created.out], [0, 'replica set shop/web created\n'], created.errors)
  const target = ['--kubeconfig', commands.kubeconfig, '--context', 'hub']
  const offered = await orrery('__complete', '--', 'delete', 'work', ...target, ...placed, '')
  assert.equal(offered.out, 'web\n')
  const deleted = await commands.run('delete', 'work', 'web', ...placed)
  assert.deepEqual([deleted.code, deleted.out], [0, 'replica set shop/web is being deleted\n'], deleted.errors)
  await eventually('the replica set is gone', async () => {
    const again = await commands.run('delete', 'work', 'web', ...placed)
    return again.code === 1 && again.errors.includes('replica set shop/web not found')
  })
  const unplaced = await commands.run('delete', 'work', 'web', '--replicaset', '--clusters', 'c1')
  assert.match(unplaced.errors, /'--replicaset' requires '--placement/)
})

test('orrery get works -o wide: shows the replica set that keeps a work', async (t) => {
  const commands = await CommandHub.start(t)
  const { client } = await commands.serve('hub')
  await installHub(client)
  await client.create(Namespace, { metadata: { name: 'c1' } })
  const labels = { [REPLICA_SET_LABEL]: 'shop.web.v1' }
  await client.create(ManifestWork, { metadata: { namespace: 'c1', name: 'kept', labels }, spec: {} })
  await client.create(ManifestWork, { metadata: { namespace: 'c1', name: 'own' }, spec: {} })
  const { out } = await commands.run('get', 'works', '-o', 'wide')
  assert.match(out, /^CLUSTER +WORK .* AGE +REPLICASET +FEEDBACK$/m)
  assert.match(out, /^c1 +kept .* shop\/web\.v1 +<none>$/m)
  assert.match(out, /^c1 +own .* <none> +<none>$/m)
  assert.doesNotMatch((await commands.run('get', 'works')).out, /REPLICASET/)
})

test('orrery create clusterset, clusterset, get clustersets, delete clusterset: manage cluster sets', async (t) => {
  const commands = await CommandHub.start(t)
  const { client } = await commands.serve('hub')
  await installHub(client)
  await commands.runHub(client)
  await client.create(ManagedCluster, { metadata: { name: 'c1' }, spec: {} })
  assert.equal((await commands.run('create', 'clusterset', 'eu')).out, 'cluster set eu created\n')
  assert.equal((await commands.run('clusterset', 'set', 'eu', '--clusters', 'c1')).out, 'cluster c1 moved to eu\n')
  assert.equal(
    (await commands.run('clusterset', 'bind', 'eu', '-n', 'default')).out,
    'cluster set eu bound to namespace default\n',
  )
  const { out } = await commands.run('get', 'clustersets', 'eu', '-o', 'wide')
  assert.match(out, /^eu +ExclusiveClusterSetLabel +1 +default +\S+ +c1$/m)
  const full = await commands.run('delete', 'clusterset', 'eu')
  assert.match(full.errors, /clusterset set default --clusters c1/)
  const waiting = await commands.run('get', 'managedclusters', '--clusterset', 'eu')
  assert.match(waiting.out, /^c1 +False +Unknown +Unknown +eu /m)
  assert.match(waiting.errors, /^c1: is not accepted yet: run `orrery accept --clusters c1`\n$/)
  const everywhere = await commands.run('get', 'clusters', '--clusterset', 'global')
  assert.match(everywhere.out, /^c1 /m)
  const nowhere = await commands.run('get', 'clusters', '--clusterset', 'us')
  assert.deepEqual(
    [nowhere.code, nowhere.errors],
    [1, 'error: cluster set us not found: run `orrery get clustersets` to list cluster sets\n'],
  )
  const unknown = await commands.run('get', 'works', '--clusters', 'c1,c2')
  assert.deepEqual(
    [unknown.code, unknown.errors],
    [1, 'error: cluster c2 not found: run `orrery get clusters` to list clusters\n'],
  )
  const unreadable = await commands.run('create', 'clusterset', 'gpu', '--selector', 'a in in')
  assert.equal(unreadable.code, 2)
  assert.match(unreadable.errors, /'--selector <labels>' argument 'a in in' is invalid\. Not a valid label selector: /)
  assert.doesNotMatch((await commands.run('get', 'clusters', '-o', 'json')).out, /managedFields/)
  const unbound = await commands.run('clusterset', 'unbind', 'eu', '-n', 'default')
  assert.equal(unbound.out, 'cluster set eu unbound from namespace default\n')
  const info = await commands.json<{ clusters: { total: number } }>('get', 'hub-info')
  assert.equal(info.clusters.total, 1)
})
