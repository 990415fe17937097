import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  AddOnPlacementScore,
  ManagedCluster,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  Placement,
  PlacementDecision,
  PlacementFailover,
  UNAVAILABLE_TAINT,
  UNREACHABLE_TAINT,
} from '@orrery/api'
import { installHub } from '@orrery/hub'
import type { PlacementExplanation } from '@orrery/hub/operations'
import { Namespace } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import { CommandHub } from './command-hub.js'

const SET_LABEL = 'cluster.open-cluster-management.io/clusterset'
const PLACEMENT_LABEL = 'cluster.open-cluster-management.io/placement'

/** A hub without controllers, with four clusters: of two regions, one tainted, with scores. */
async function startCommands(t: TestContext) {
  const commands = await CommandHub.start(t)
  const { client } = await commands.serve('hub')
  await installHub(client)
  await client.create(Namespace, { metadata: { name: 'shop' } })
  await client.create(ManagedClusterSet, { metadata: { name: 'all' }, spec: {} })
  await client.create(ManagedClusterSetBinding, {
    metadata: { namespace: 'shop', name: 'all' },
    spec: { clusterSet: 'all' },
  })
  for (const [name, region, value] of [
    ['c1', 'eu', 20],
    ['c2', 'eu', 80],
    ['c3', 'eu', 100],
    ['c4', 'us', 100],
  ] as const) {
    await client.create(Namespace, { metadata: { name } })
    await client.create(ManagedCluster, {
      metadata: { name, labels: { region, [SET_LABEL]: 'all' } },
      spec: { hubAcceptsClient: true, taints: name === 'c3' ? [{ key: 'gpu', effect: 'NoSelect' }] : [] },
    })
    const score = await client.create(AddOnPlacementScore, { metadata: { namespace: name, name: 'usage' } })
    const status = { scores: [{ name: 'cpu', value }], validUntil: '2100-01-01T00:00:00Z' }
    await client.update(AddOnPlacementScore, { ...score, status }, { subresource: 'status' })
  }
  return { commands, client }
}

const WEB = ['--selector', 'region=eu', '--prioritizers', 'AddOn:usage:cpu:2', '--count', '1']

test('orrery explain placement: names the filter, the scores and the change for each cluster', async (t) => {
  const { commands, client } = await startCommands(t)
  await commands.run('create', 'placement', 'web', '-n', 'shop', ...WEB)
  const labels = { [PLACEMENT_LABEL]: 'web' }
  const decision = await client.create(PlacementDecision, {
    metadata: { namespace: 'shop', name: 'web-decision-1', labels },
  })
  const status = { decisions: [{ clusterName: 'c1', reason: '' }] }
  await client.update(PlacementDecision, { ...decision, status }, { subresource: 'status' })

  const { code, out, errors } = await commands.run('explain', 'placement', 'web', '-n', 'shop')
  assert.equal(code, 0, errors)
  for (const line of [
    /^Placement: +shop\/web$/m,
    /^Selected: +1 \(1 requested\)$/m,
    /^Satisfied: +True, AllDecisionsScheduled: /m,
    /^Cluster sets: +all \(bound: all\)$/m,
    /^Filters: +4 clusters, Predicate keeps 3, TaintToleration keeps 2$/m,
    /^Prioritizers: +Balance \(weight 1\), Steady \(weight 1\), AddOn\/usage\/cpu \(weight 2\)$/m,
    /^CLUSTER +OUTCOME +RANK +TOTAL +BALANCE +STEADY +ADDON\/USAGE\/CPU$/m,
    /^c2 +Selected +1 +260 +100 +0 +80$/m,
    /^c1 +NotSelected +2 +240 +100 +100 +20$/m,
    /^c3 +FilteredOut +<none> +<none> +<none> +<none> +<none>$/m,
    /^c1: Not selected: .*\n {2}To be selected: raise its total from 240 to at least 260 .*a score of at least 30/m,
    /^c3: Filtered out by TaintToleration: taint gpu \(NoSelect\) is not tolerated\.\n {2}To be selected: remove taint/m,
    /^c4: Filtered out by Predicate: label region is "us", .*\n {2}To be selected: set label region=eu$/m,
  ]) {
    assert.match(out, line)
  }
  assert.doesNotMatch(out, /^c2:/m)

  const wide = await commands.run('explain', 'placement', 'web', '-n', 'shop', '--clusters', 'c1', '-o', 'wide')
  assert.match(wide.out, /^ {2}Steady: already selected$/m)
  assert.match(wide.out, /^ {2}AddOn\/usage\/cpu: value 20, valid until 2100-01-01T00:00:00Z$/m)
  assert.doesNotMatch(wide.out, /^c[234]/m)
  const typed = await commands.json<PlacementExplanation>('explain', 'placement', 'web', '-n', 'shop')
  assert.deepEqual(
    typed.clusters.map(({ cluster, outcome, total }) => [cluster, outcome, total]),
    [
      ['c2', 'Selected', 260],
      ['c1', 'NotSelected', 240],
      ['c3', 'FilteredOut', undefined],
      ['c4', 'FilteredOut', undefined],
    ],
  )
  const missing = await commands.run('explain', 'placement', 'other', '-n', 'shop')
  assert.equal(missing.code, 1)
  assert.match(missing.errors, /placement shop\/other not found/)
  const elsewhere = await commands.run('explain', 'placement', 'web', '-n', 'shop', '--clusters', 'c9')
  assert.equal(elsewhere.code, 1)
  assert.match(elsewhere.errors, /cluster c9 not found: .*selects from cluster sets: all/)
})

test('orrery explain placement: names scores that are missing', async (t) => {
  const { commands, client } = await startCommands(t)
  await client.ensureDeleted(AddOnPlacementScore, { namespace: 'c1', name: 'usage' })
  await commands.run('create', 'placement', 'web', '-n', 'shop', ...WEB)
  const { out } = await commands.run('explain', 'placement', 'web', '-n', 'shop')
  assert.match(out, /^c1 +NotSelected +2 +100 +100 +0 +<none>$/m)
  assert.match(out, /^c1: Not selected: .*\n {2}AddOn\/usage\/cpu: no score reported, which counts as 0\n {2}To be/m)
  assert.doesNotMatch(out, /Balance: /)
})

test('orrery explain placement: names the failover that excludes a cluster, and when the cluster returns', async (t) => {
  const { commands, client } = await startCommands(t)
  await commands.run('create', 'placement', 'web', '-n', 'shop', '--selector', 'region=us')
  const failover = await client.create(PlacementFailover, {
    metadata: { namespace: 'shop', name: 'health' },
    spec: { placementRef: { name: 'web' } },
  })
  const excluded = [{ clusterName: 'c4', since: '2030-01-01T00:00:00Z', reason: 'ClusterHealth is 10' }]
  await client.update(PlacementFailover, { ...failover, status: { excluded } }, { subresource: 'status' })
  const { out } = await commands.run('explain', 'placement', 'web', '-n', 'shop', '--clusters', 'c4')
  assert.match(
    out,
    /^c4: Filtered out by Failover: ClusterHealth is 10\.\n {2}To be selected: meet the return condition of PlacementFailover health: ClusterHealth above 80 for 5m, or delete the PlacementFailover$/m,
  )
})

test('orrery explain placement: selects what the hub has decided', async (t) => {
  const { commands, client } = await startCommands(t)
  await commands.runHub(client)
  // The clusters of the test have no agents.
  const tolerations = `${UNAVAILABLE_TAINT},${UNREACHABLE_TAINT}`
  for (const [name, ...options] of [
    ['eu', '--selector', 'region=eu'],
    ['best', '--prioritizers', 'AddOn:usage:cpu:10', '--count', '2'],
    ['spread', '--spread', 'Label:region', '--count', '2'],
  ] as const) {
    const created = await commands.run(
      'create',
      'placement',
      name,
      '-n',
      'shop',
      '--tolerations',
      tolerations,
      ...options,
    )
    assert.equal(created.code, 0, created.errors)
    const decided = await eventually('the placement is decided', async () => {
      const { decisions } = (await client.find(PlacementDecision, decisionOf(name)))?.status ?? {}
      return decisions && decisions.length > 0 ? decisions.map(({ clusterName }) => clusterName) : undefined
    })
    const { clusters } = await commands.json<PlacementExplanation>('explain', 'placement', name, '-n', 'shop')
    const selected = clusters.filter(({ outcome }) => outcome === 'Selected').map(({ cluster }) => cluster)
    assert.deepEqual(selected.sort(), decided, name)
  }
})

function decisionOf(placement: string) {
  return { namespace: 'shop', name: `${placement}-decision-1` }
}

test('orrery explain placement --what-if: explains a placement in a file without creating it', async (t) => {
  const { commands, client } = await startCommands(t)
  const dry = await commands.run('create', 'placement', 'web', '-n', 'shop', ...WEB, '--dry-run')
  const file = join(commands.directory, 'placement.yaml')
  await writeFile(file, dry.out)
  const whatIf = (...options: string[]) => commands.run('explain', 'placement', '--what-if', '-f', file, ...options)

  const explained = await whatIf()
  assert.equal(explained.code, 0, explained.errors)
  assert.match(explained.out, /^c2 +Selected +1 +260 /m)
  assert.equal(await client.find(Placement, { namespace: 'shop', name: 'web' }), undefined)
  const other = await whatIf('-n', 'default')
  assert.match(other.errors, /Placement web is in namespace shop: omit --namespace/)
  assert.equal((await commands.run('explain', 'placement', 'api', '--what-if', '-f', file)).code, 1)

  const placement = (spec: object) => ({ ...Placement.complete({ metadata: { name: 'web' }, spec: {} }), spec })
  await writeFile(file, JSON.stringify(placement({ tolerations: [{ operator: 'Equal' }] })))
  const misconfigured = await whatIf('-n', 'shop')
  assert.equal(misconfigured.code, 1)
  assert.match(misconfigured.out, /^Misconfigured: +spec\.tolerations\[0\]\.operator: must be Exists if key is empty/m)
  const oneCluster = await whatIf('-n', 'shop', '--clusters', 'c1')
  assert.deepEqual([oneCluster.code, oneCluster.out], [1, misconfigured.out])
  await writeFile(file, JSON.stringify(placement({ numberOfClusters: 'two' })))
  const invalid = await whatIf('-n', 'shop')
  assert.equal(invalid.code, 1)
  assert.match(invalid.errors, /invalid placement: spec\.numberOfClusters: /)
  const misspelled = { numberOfCluster: 1, predicates: [{ labelSelector: { matchLabels: { region: 'eu' } } }] }
  await writeFile(file, JSON.stringify(placement(misspelled)))
  const unknown = await whatIf('-n', 'shop')
  assert.deepEqual([unknown.code, unknown.out], [1, ''])
  assert.match(
    unknown.errors,
    /invalid placement: unknown field "spec\.numberOfCluster", unknown field "spec\.predicates\[0\]\.labelSelector"/,
  )
  await writeFile(file, JSON.stringify(placement({})))
  const unbound = await whatIf()
  assert.equal(unbound.code, 0)
  assert.match(unbound.out, /^Satisfied: +False, NoManagedClusterSetBindings: /m)
  assert.match(unbound.out, /^Cluster sets: +none \(bound: none\)$/m)
  assert.match(
    unbound.out,
    /^To be satisfied: +bind a cluster set: run `orrery clusterset bind SET --namespace default`, where SET is one of .*\ball\b/m,
  )
})

test('orrery explain placement: says how to bind the cluster sets that a placement requests', async (t) => {
  const { commands, client } = await startCommands(t)
  await client.create(ManagedClusterSet, { metadata: { name: 'eu' }, spec: {} })
  const metadata = { namespace: 'shop', name: 'web' }
  const placement = await client.create(Placement, { metadata, spec: { clusterSets: ['eu', 'moon'] } })
  const explained = () => commands.run('explain', 'placement', 'web', '-n', 'shop', '--clusters', 'c1')
  const { code, out, errors } = await explained()
  assert.equal(code, 0, errors)
  assert.match(out, /^Satisfied: +False, NoIntersection: /m)
  assert.match(out, /^Cluster sets: +none \(bound: all; requested: eu \(not bound\), moon \(does not exist\)\)$/m)
  assert.match(
    out,
    /^To be satisfied: bind cluster set eu: run `orrery clusterset bind eu --namespace shop`, or create cluster set moon and bind it: run `orrery create clusterset moon` and `orrery clusterset bind moon --namespace shop`$/m,
  )
  await client.update(Placement, { ...placement, spec: { ...placement.spec, clusterSets: ['all', 'eu'] } })
  const partly = await explained()
  assert.match(partly.out, /^Cluster sets: +all \(bound: all; requested: all, eu \(not bound\)\)$/m)
  assert.doesNotMatch(partly.out, /To be satisfied/)
  const typed = await commands.json<PlacementExplanation>('explain', 'placement', 'web', '-n', 'shop')
  assert.deepEqual([typed.unusableSets, typed.toBeSatisfied], [[{ name: 'eu', reason: 'NotBound' }], []])
})

test('orrery create placement: refuses what the hub would report as misconfigured', async (t) => {
  const { commands, client } = await startCommands(t)
  for (const [options, problem] of [
    [
      ['--prioritizers', 'BuiltIn:Foo'],
      /misconfigured placement: .*\.builtIn: "Foo" does not exist: use one of Balance, /,
    ],
    [['--cel', 'managedCluster.'], /misconfigured placement: spec\.predicates\[0\].*celExpressions\[0\]: /],
  ] as const) {
    for (const more of [[], ['--dry-run']]) {
      const { code, out, errors } = await commands.run('create', 'placement', 'web', '-n', 'shop', ...options, ...more)
      assert.deepEqual([code, out], [1, ''])
      assert.match(errors, problem)
    }
  }
  assert.equal(await client.find(Placement, { namespace: 'shop', name: 'web' }), undefined)
})
