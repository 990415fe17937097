import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  AddOnPlacementScore,
  ManagedCluster,
  ManagedClusterScore,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  ManifestWorkReplicaSet,
  Placement,
  PlacementCondition,
  PlacementDecision,
  PlacementFailover,
} from '@orrery/api'
import { installHub } from '@orrery/hub'
import { Namespace } from '@orrery/kinds'
import { CommandHub } from './command-hub.js'

/** A hub without controllers: the test writes what controllers and agents would. */
async function startCommands(t: TestContext) {
  const commands = await CommandHub.start(t)
  const { client } = await commands.serve('hub')
  await installHub(client)
  return { commands, client }
}

const GROUP_INDEX = 'cluster.open-cluster-management.io/decision-group-index'
const GROUP_NAME = 'cluster.open-cluster-management.io/decision-group-name'
const PLACEMENT = 'cluster.open-cluster-management.io/placement'

test('orrery get placements, get decisions, describe placement: show what a placement has selected', async (t) => {
  const { commands, client } = await startCommands(t)
  const namespace = 'shop'
  await client.create(Namespace, { metadata: { name: namespace } })
  await client.create(ManagedClusterSet, { metadata: { name: 'eu' }, spec: {} })
  await client.create(ManagedClusterSetBinding, { metadata: { namespace, name: 'eu' }, spec: { clusterSet: 'eu' } })
  const web = await client.create(Placement, {
    metadata: { namespace, name: 'web' },
    spec: {
      numberOfClusters: 3,
      tolerations: [{ key: 'gpu', operator: 'Exists', tolerationSeconds: 60 }],
      predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'prod' } } } }],
    },
  })
  const satisfied = {
    type: PlacementCondition.Satisfied,
    status: 'False' as const,
    reason: 'NotAllDecisionsScheduled',
    message: '1 of 3 clusters cannot be selected',
    lastTransitionTime: '2030-01-01T00:00:00Z',
  }
  await client.update(
    Placement,
    { ...web, status: { numberOfSelectedClusters: 2, conditions: [satisfied] } },
    { subresource: 'status' },
  )
  for (const [index, decision] of [
    { clusterName: 'c1', reason: '', score: 200 },
    { clusterName: 'c2', reason: 'replaces c3' },
  ].entries()) {
    const labels = { [PLACEMENT]: 'web', [GROUP_INDEX]: String(index), [GROUP_NAME]: index === 0 ? 'canary' : '' }
    const metadata = { namespace, name: `web-decision-${index + 1}`, labels }
    const created = await client.create(PlacementDecision, { metadata })
    await client.update(PlacementDecision, { ...created, status: { decisions: [decision] } }, { subresource: 'status' })
  }
  await client.create(ManifestWorkReplicaSet, {
    metadata: { namespace, name: 'app' },
    spec: { placementRefs: [{ name: 'web' }] },
  })
  const failover = await client.create(PlacementFailover, {
    metadata: { namespace, name: 'health' },
    spec: { placementRef: { name: 'web' }, returnAbove: 90 },
  })
  const excluded = [{ clusterName: 'c3', since: '2030-01-01T00:00:00Z', reason: 'ClusterHealth is 10' }]
  await client.update(PlacementFailover, { ...failover, status: { excluded } }, { subresource: 'status' })
  for (const [name, placement] of [
    ['later', 'web'],
    ['unrelated', 'api'],
  ] as const) {
    await client.create(PlacementFailover, {
      metadata: { namespace, name },
      spec: { placementRef: { name: placement } },
    })
  }

  const empty = await commands.run('get', 'placements')
  assert.deepEqual([empty.code, empty.out], [0, ''])
  assert.match(empty.errors, /No placements found in namespace default\. Use -A for all namespaces\./)
  const placements = await commands.run('get', 'placements', '-A', '-o', 'wide')
  assert.match(
    placements.out,
    /^NAMESPACE +NAME +SATISFIED +REASON +SELECTED +REQUESTED +AGE +CLUSTER SETS +GROUPS +CLUSTERS\nshop +web +False +NotAllDecisionsScheduled +2 +3 +\d+s +all bound +2 +c1,c2\n$/,
  )
  assert.match(
    placements.errors,
    /^shop\/web: 1 of 3 .* run `orrery explain placement web --namespace shop` to see why/m,
  )
  const list = await commands.json<{ items: Placement[] }>('get', 'placements', 'web', '-n', namespace)
  assert.deepEqual(
    list.items.map(({ kind, spec }) => [kind, spec.numberOfClusters]),
    [['Placement', 3]],
  )

  const decisions = await commands.run('get', 'decisions', 'web', '-n', namespace)
  assert.equal(
    decisions.out.replaceAll(/ +/g, ' '),
    'PLACEMENT CLUSTER GROUP SCORE REASON\nweb c1 0 (canary) 200 <none>\nweb c2 1 <none> replaces c3\n',
  )
  const written = await commands.json<{ items: PlacementDecision[] }>('get', 'decisions', '-A')
  assert.deepEqual(written.items.map(({ metadata }) => metadata.name).sort(), ['web-decision-1', 'web-decision-2'])

  const described = await commands.run('describe', 'placement', 'web', '-n', namespace)
  assert.equal(described.code, 0, described.errors)
  for (const line of [
    /^Cluster sets: +all bound \(bound: eu\)$/m,
    /^Predicates: +labels tier=prod$/m,
    /^Prioritizers: +defaults BuiltIn:Balance:1, BuiltIn:Steady:1$/m,
    /^Tolerations: +gpu for 60s$/m,
    /^Used by: +ManifestWorkReplicaSet app$/m,
    /^Failover: +health \(excluded: c3; clusters return with ClusterHealth above 90 for 5m\), later \(not used: another one is older\)$/m,
    /^Selected: +2 \(3 requested\)$/m,
    /^Groups: +0 canary \(1 cluster\), 1 \(1 cluster\)$/m,
    /^PlacementSatisfied: +False, NotAllDecisionsScheduled: 1 of 3 clusters/m,
    /^Decisions:\n {2}CLUSTER +GROUP +SCORE +REASON\n {2}c1 +0 \(canary\) +200 +<none>\n/m,
  ]) {
    assert.match(described.out, line)
  }
  for (const command of [
    ['get', 'placements'],
    ['get', 'decisions'],
    ['describe', 'placement'],
  ]) {
    const missing = await commands.run(...command, 'other', '-n', namespace)
    assert.deepEqual([missing.code, missing.out], [1, ''])
    assert.match(missing.errors, /placement shop\/other not found: run `orrery get placements -A`/)
  }
})

test('orrery get scores: shows scores of add-ons and calculators by cluster', async (t) => {
  const { commands, client } = await startCommands(t)
  const none = await commands.run('get', 'scores')
  assert.match(none.errors, /No scores found/)
  for (const name of ['c1', 'c2']) {
    await client.create(Namespace, { metadata: { name } })
    await client.create(ManagedCluster, { metadata: { name }, spec: { hubAcceptsClient: true } })
  }
  for (const [namespace, validUntil] of [
    ['c1', '2100-01-01T00:00:00Z'],
    ['c2', '2020-01-01T00:00:00Z'],
  ] as const) {
    const created = await client.create(AddOnPlacementScore, { metadata: { namespace, name: 'usage' } })
    const status = { validUntil, scores: [{ name: 'cpu', value: namespace === 'c1' ? 66 : -20 }] }
    await client.update(AddOnPlacementScore, { ...created, status }, { subresource: 'status' })
  }
  const ratio = await client.create(ManagedClusterScore, { metadata: { namespace: 'c1', name: 'c1-resourceratiocpu' } })
  const time = new Date().toISOString().replace(/\.\d+/, '')
  const condition = {
    type: 'Calculated',
    status: 'True' as const,
    reason: 'Calculated',
    message: '',
    lastTransitionTime: time,
    lastUpdateTime: time,
  }
  await client.update(
    ManagedClusterScore,
    { ...ratio, status: { score: 250, conditions: [condition] } },
    { subresource: 'status' },
  )

  const all = await commands.run('get', 'scores')
  assert.match(all.out, /^CLUSTER +PRIORITIZER +SCORE +EXPIRES +UPDATED$/m)
  assert.match(all.out, /^c1 +AddOn:managedclusterscore:resourceratiocpu +250 +<none> +\d+s ago$/m)
  assert.match(all.out, /^c1 +AddOn:usage:cpu +66 +in \d+y\w* +<none>$/m)
  assert.match(all.out, /^c2 +AddOn:usage:cpu +-20 +expired \d+y\w* ago +<none>$/m)
  const one = await commands.json<{ items: { kind: string }[] }>('get', 'scores', 'usage', '--clusters', 'c2')
  assert.deepEqual(
    one.items.map(({ kind }) => kind),
    ['AddOnPlacementScore'],
  )
  const missing = await commands.run('get', 'scores', 'disk')
  assert.equal(missing.code, 1)
  assert.match(missing.errors, /score disk not found: run `orrery get scores`/)
  const unknown = await commands.run('get', 'scores', '--clusters', 'c9')
  assert.equal(unknown.code, 1)
  assert.match(unknown.errors, /cluster c9 not found/)
})

test('orrery create placement: creates and overwrites a placement from options of clusteradm and more', async (t) => {
  const { commands, client } = await startCommands(t)
  const namespace = 'shop'
  await client.create(Namespace, { metadata: { name: namespace } })
  await client.create(ManagedClusterSet, { metadata: { name: 'eu' }, spec: {} })
  const create = (...options: string[]) => commands.run('create', 'placement', 'web', '-n', namespace, ...options)

  const unbound = await create('--clustersets', 'eu')
  assert.equal(unbound.code, 1)
  assert.match(
    unbound.errors,
    /cluster set eu is not bound to namespace shop: run `orrery clusterset bind eu --namespace shop`/,
  )
  await client.create(ManagedClusterSetBinding, { metadata: { namespace, name: 'eu' }, spec: { clusterSet: 'eu' } })
  const options = ['--clustersets', 'eu', '--label-selectors', 'a=b,region in (x,y)', '--count', '2']
  const created = await create(...options, '--prioritizers', 'BuiltIn:Steady:3,AddOn:usage:cpu:-2')
  assert.deepEqual([created.code, created.out], [0, 'placement shop/web created\n'], created.errors)
  const { spec } = await client.get(Placement, { namespace, name: 'web' })
  assert.deepEqual(spec.clusterSets, ['eu'])
  assert.equal(spec.numberOfClusters, 2)
  assert.deepEqual(spec.predicates, [
    { requiredClusterSelector: { labelSelector: { matchLabels: { a: 'b' } } } },
    {
      requiredClusterSelector: {
        labelSelector: { matchExpressions: [{ key: 'region', operator: 'In', values: ['x', 'y'] }] },
      },
    },
  ])
  assert.deepEqual(spec.prioritizerPolicy, {
    mode: 'Additive',
    configurations: [
      { scoreCoordinate: { type: 'BuiltIn', builtIn: 'Steady' }, weight: 3 },
      { scoreCoordinate: { type: 'AddOn', addOn: { resourceName: 'usage', scoreName: 'cpu' } }, weight: -2 },
    ],
  })

  const again = await create('--count', '5')
  assert.equal(again.code, 1)
  assert.match(again.errors, /placement shop\/web already exists: use --overwrite/)
  const rest = ['--selector', 'a=b,c', '--claim-selector', 'id', '--cel', 'true', '--tolerations', 'gpu=a:NoSelect,t']
  const overwritten = await create('--overwrite', ...rest, '--spread', 'Label:region,Claim:zone:2')
  assert.deepEqual([overwritten.code, overwritten.out], [0, 'placement shop/web updated\n'], overwritten.errors)
  const after = (await client.get(Placement, { namespace, name: 'web' })).spec
  assert.equal(after.numberOfClusters, undefined)
  assert.deepEqual(after.predicates, [
    {
      requiredClusterSelector: {
        labelSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] },
        claimSelector: { matchExpressions: [{ key: 'id', operator: 'Exists' }] },
        celSelector: { celExpressions: ['true'] },
      },
    },
  ])
  assert.deepEqual(after.tolerations, [
    { key: 'gpu', operator: 'Equal', value: 'a', effect: 'NoSelect' },
    { key: 't', operator: 'Exists' },
  ])
  assert.deepEqual(after.spreadPolicy?.spreadConstraints, [
    { topologyKeyType: 'Label', topologyKey: 'region', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' },
    { topologyKeyType: 'Claim', topologyKey: 'zone', maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' },
  ])

  const dry = await commands.run('create', 'placement', 'new', '--count', '1', '--dry-run', '-o', 'json')
  assert.deepEqual(JSON.parse(dry.out), {
    apiVersion: 'cluster.open-cluster-management.io/v1beta1',
    kind: 'Placement',
    metadata: { namespace: 'default', name: 'new' },
    spec: { numberOfClusters: 1 },
  })
  assert.equal(await client.find(Placement, { namespace: 'default', name: 'new' }), undefined)
  const remove = (...options: string[]) => commands.run('delete', 'placement', 'web', '-n', namespace, ...options)
  assert.deepEqual(
    [(await remove()).out, await client.find(Placement, { namespace, name: 'web' })],
    ['placement shop/web deleted\n', undefined],
  )
  const gone = await remove()
  assert.equal(gone.code, 1)
  assert.match(gone.errors, /placement shop\/web not found/)
  assert.equal((await remove('--ignore-not-found')).code, 0)
  const nowhere = await commands.run('create', 'placement', 'web', '-n', 'nowhere')
  assert.match(nowhere.errors, /namespace nowhere does not exist on the hub: create it first/)
})
