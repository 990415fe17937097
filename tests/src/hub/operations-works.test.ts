import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  CLUSTER_SET_LABEL,
  ManagedCluster,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  ManifestWork,
  ManifestWorkReplicaSet,
  PLACEMENT_LABEL,
  Placement,
  PlacementDecision,
  REPLICA_SET_LABEL,
} from '@orrery/api'
import {
  assignClusters,
  bindClusterSet,
  clusterSetOverviews,
  createClusterSet,
  createReplicaSet,
  createWork,
  deleteClusterSet,
  deleteReplicaSet,
  deleteWork,
  placedClusters,
  problemsOf,
  problemText,
  unbindClusterSet,
  whenWorkRolledOut,
} from '@orrery/hub/operations'
import { type KubeObject, Namespace, type ObjectRef } from '@orrery/kinds'
import { generateSealingKeys, sealManifest } from '@orrery/kube/seal'
import { acceptedCluster, createCluster } from './clusters.js'
import { HubServer, type HubServerOptions } from './hub-server.js'

function configMap(name: string, data: Record<string, string> = {}, namespace = 'default'): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data }
}

/** Reports the result of the latest spec of a work, as an agent. */
async function reportApplied(hub: HubServer, ref: ObjectRef, status: 'True' | 'False'): Promise<void> {
  const { metadata } = await hub.client.get(ManifestWork, ref)
  const condition = {
    type: 'Applied',
    status,
    reason: status === 'True' ? 'AppliedManifestWorkComplete' : 'AppliedManifestWorkFailed',
    message: '',
    observedGeneration: metadata.generation,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  await hub.client.patch(ManifestWork, ref, { status: { conditions: [condition] } }, { subresource: 'status' })
}

suite('work operations', () => {
  test('split a work that is too large, and join it again', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    const large = (name: string) => configMap(name, { text: 'x'.repeat(300 * 1024) })
    const draft = { name: 'w', manifests: [large('a'), large('b')] }
    const parts = async () =>
      (await hub.client.list(ManifestWork, { namespace: 'c1' })).items.map(({ metadata, spec }) => [
        metadata.name,
        ...(spec?.workload?.manifests ?? []).map((manifest) => manifest.metadata?.name),
      ])
    assert.equal(await createWork(hub.client, 'c1', draft), 'created')
    assert.deepEqual(await parts(), [
      ['w', 'a'],
      ['w-2', 'b'],
    ])
    assert.equal(await createWork(hub.client, 'c1', draft), 'unchanged')
    const goal = 'applied' as const
    const tried = whenWorkRolledOut(hub.client, 'c1', 'w', AbortSignal.timeout(10_000), { goal })
    await reportApplied(hub, { namespace: 'c1', name: 'w' }, 'True')
    await reportApplied(hub, { namespace: 'c1', name: 'w-2' }, 'True')
    const { stage, parts: triedParts } = await tried
    assert.deepEqual([stage, triedParts.length], ['reached', 2])

    const small = { name: 'w', manifests: [configMap('a'), configMap('b')], overwrite: true }
    const joining = createWork(hub.client, 'c1', small)
    await hub.when(ManifestWork, { namespace: 'c1', name: 'w' }, ({ metadata }) => metadata.generation === 2)
    assert.equal((await parts()).length, 2, 'what moves is applied before the part that had it goes')
    await reportApplied(hub, { namespace: 'c1', name: 'w' }, 'True')
    assert.equal(await joining, 'changed')
    assert.deepEqual(await parts(), [['w', 'a', 'b']])
  })

  test('keep what would move if the parts cannot be applied', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    const large = (name: string) => configMap(name, { text: 'x'.repeat(300 * 1024) })
    await createWork(hub.client, 'c1', { name: 'w', manifests: [large('a'), large('b')] })
    const join = () => createWork(hub.client, 'c1', { name: 'w', manifests: [configMap('b')], overwrite: true })
    const why = /could not be applied, and has to be before/
    const refused = assert.rejects(join(), why)
    await hub.when(ManifestWork, { namespace: 'c1', name: 'w' }, ({ metadata }) => metadata.generation === 2)
    await reportApplied(hub, { namespace: 'c1', name: 'w' }, 'False')
    await refused
    await assert.rejects(join(), why, 'and when it is tried again')
    assert.notEqual(await hub.client.find(ManifestWork, { namespace: 'c1', name: 'w-2' }), undefined)
    assert.equal(await deleteWork(hub.client, 'c1', 'w'), true)
    assert.deepEqual((await hub.client.list(ManifestWork, { namespace: 'c1' })).items, [])
  })

  test('give up if no agent applies the parts', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    const large = (name: string) => configMap(name, { text: 'x'.repeat(300 * 1024) })
    await createWork(hub.client, 'c1', { name: 'w', manifests: [large('a'), large('b')] })
    const draft = { name: 'w', manifests: [configMap('b')], overwrite: true }
    await assert.rejects(
      createWork(hub.client, 'c1', draft, { movingMilliseconds: 20 }),
      /^OperationError: cluster c1 has not applied the parts of work w yet/,
    )
    assert.notEqual(await hub.client.find(ManifestWork, { namespace: 'c1', name: 'w-2' }), undefined)
  })

  test('create a work, leave an equal one, and change it only on request', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    const draft = { name: 'w', manifests: [configMap('a')] }
    assert.equal(await createWork(hub.client, 'c1', draft), 'created')
    assert.equal(await createWork(hub.client, 'c1', draft), 'unchanged')
    const other = { name: 'w', manifests: [configMap('b')] }
    await assert.rejects(createWork(hub.client, 'c1', other), /--overwrite/)
    assert.equal(await createWork(hub.client, 'c1', { ...other, overwrite: true }), 'changed')
    const { spec } = await hub.client.get(ManifestWork, { namespace: 'c1', name: 'w' })
    assert.deepEqual(spec?.workload?.manifests, other.manifests)
    assert.equal(await deleteWork(hub.client, 'c1', 'w'), true)
    assert.equal(await deleteWork(hub.client, 'c1', 'none'), false)
  })

  test('keep the manifestConfigs of changed objects', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    await hub.client.create(ManifestWork, {
      metadata: { namespace: 'c1', name: 'w' },
      spec: { workload: { manifests: [configMap('a')] as never }, deleteOption: { propagationPolicy: 'Orphan' } },
    })
    await createWork(hub.client, 'c1', { name: 'w', manifests: [configMap('b')], overwrite: true })
    const { spec } = await hub.client.get(ManifestWork, { namespace: 'c1', name: 'w' })
    assert.equal(spec?.deleteOption?.propagationPolicy, 'Orphan')
  })

  test('report a cluster that the hub does not have', async (t) => {
    const hub = await HubServer.start(t)
    const draft = { name: 'w', manifests: [configMap('a')] }
    await assert.rejects(createWork(hub.client, 'nope', draft), /cluster nope not found/)
    await assert.rejects(createWork(hub.client, 'default', draft), /cluster default not found/)
  })

  test('wait until the cluster has tried the latest spec', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    await createWork(hub.client, 'c1', { name: 'w', manifests: [configMap('a')] })
    const ref = { namespace: 'c1', name: 'w' }
    const tried = whenWorkRolledOut(hub.client, 'c1', 'w', AbortSignal.timeout(10_000))
    await reportApplied(hub, ref, 'False')
    const { stage, parts } = await tried
    assert.equal(stage, 'failed')
    assert.deepEqual(
      parts.flatMap((work) => problemsOf(work)).map(({ reason }) => reason),
      ['AppliedManifestWorkFailed'],
    )
  })
})

suite('placement operations', () => {
  async function startWithPlacement(
    t: Parameters<typeof HubServer.start>[0],
    features: HubServerOptions['features'] = {},
  ) {
    const hub = await HubServer.start(t, { features: { PlacementScheduling: false, ...features } })
    await hub.client.create(Namespace, { metadata: { name: 'shop' } })
    await hub.client.create(Placement, { metadata: { namespace: 'shop', name: 'eu' }, spec: {} })
    return hub
  }

  test('list the selected clusters', async (t) => {
    const hub = await startWithPlacement(t)
    const placement = { namespace: 'shop', name: 'eu' }
    await assert.rejects(placedClusters(hub.client, { ...placement, name: 'us' }), /placement shop\/us not found/)
    await assert.rejects(placedClusters(hub.client, placement), /has not selected any clusters/)
    const metadata = { namespace: 'shop', name: 'eu-decision-1', labels: { [PLACEMENT_LABEL]: 'eu' } }
    await hub.client.create(PlacementDecision, { metadata })
    const decisions = ['c2', 'c1'].map((clusterName) => ({ clusterName, reason: '' }))
    await hub.client.patch(PlacementDecision, metadata, { status: { decisions } }, { subresource: 'status' })
    assert.deepEqual(await placedClusters(hub.client, placement), ['c1', 'c2'])
  })

  test('create a replica set', async (t) => {
    const hub = await startWithPlacement(t)
    const placement = { namespace: 'shop', name: 'eu' }
    const draft = { name: 'web', manifests: [configMap('a')] }
    const names = ['web']
    assert.deepEqual(await createReplicaSet(hub.client, placement, draft), { change: 'created', names })
    assert.deepEqual(await createReplicaSet(hub.client, placement, draft), { change: 'unchanged', names })
    const other = { name: 'web', manifests: [configMap('b')] }
    await assert.rejects(createReplicaSet(hub.client, placement, other), /--overwrite/)
    const overwriting = { ...other, overwrite: true }
    assert.deepEqual(await createReplicaSet(hub.client, placement, overwriting), { change: 'changed', names })
    const { spec } = await hub.client.get(ManifestWorkReplicaSet, { namespace: 'shop', name: 'web' })
    assert.deepEqual(spec?.manifestWorkTemplate?.workload?.manifests, other.manifests)
    assert.deepEqual(
      spec?.placementRefs.map(({ name }) => name),
      ['eu'],
    )
  })

  test('create several replica sets if one would be too large', async (t) => {
    const hub = await startWithPlacement(t, { ManifestWorkReplicaSet: true })
    const placement = { namespace: 'shop', name: 'eu' }
    const metadata = { namespace: 'shop', name: 'eu-decision-1', labels: { [PLACEMENT_LABEL]: 'eu' } }
    await hub.client.create(PlacementDecision, { metadata })
    const filler = (name: string, kilobytes: number) => ({
      ...configMap(name),
      data: { x: 'x'.repeat(kilobytes * 1_000) },
    })
    const parts = async () => {
      const { items } = await hub.client.list(ManifestWorkReplicaSet, { namespace: 'shop' })
      return Object.fromEntries(
        items.map(({ metadata, spec }) => [
          metadata.name,
          spec?.manifestWorkTemplate?.workload?.manifests?.map((one) => one.metadata?.name).join(' '),
        ]),
      )
    }
    const create = (...manifests: KubeObject[]) =>
      createReplicaSet(hub.client, placement, { name: 'web', manifests, overwrite: true })
    const large = [filler('a', 200), filler('b', 200), filler('c', 300)]
    const names = ['web', 'web-2']
    // One of another user, which is not part of it.
    await createReplicaSet(hub.client, placement, { name: 'web-3', manifests: [configMap('other')] })
    assert.deepEqual(await create(...large), { change: 'created', names })
    assert.deepEqual(await parts(), { web: 'a b', 'web-2': 'c', 'web-3': 'other' })
    assert.deepEqual(await create(...large), { change: 'unchanged', names })
    // What does not fit any more moves to the other part, and leaves the first when that is rolled out.
    assert.deepEqual(await create(filler('a', 400), filler('b', 200), filler('c', 300)), { change: 'changed', names })
    assert.deepEqual(await parts(), { web: 'a', 'web-2': 'b c', 'web-3': 'other' })
    assert.deepEqual(await create(filler('a', 4), filler('c', 3)), { change: 'changed', names: ['web'] })
    await hub.whenGone(ManifestWorkReplicaSet, { namespace: 'shop', name: 'web-2' })
    assert.deepEqual(await parts(), { web: 'a c', 'web-3': 'other' })
  })

  test('move objects between replica sets, also without an observed generation', async (t) => {
    const hub = await startWithPlacement(t)
    await acceptedCluster(hub, 'c1')
    const placement = { namespace: 'shop', name: 'eu' }
    const large = (name: string) => configMap(name, { text: 'x'.repeat(300 * 1024) })
    await createReplicaSet(hub.client, placement, { name: 'web', manifests: [large('a'), large('b')] })
    const setOf = (name: string) => hub.client.get(ManifestWorkReplicaSet, { namespace: 'shop', name })
    // Acts as Open Cluster Management's controller.
    for (const name of ['web', 'web-2']) {
      const { spec } = await setOf(name)
      const metadata = { namespace: 'c1', name, labels: { [REPLICA_SET_LABEL]: `shop.${name}` } }
      await hub.client.create(ManifestWork, { metadata, spec: spec?.manifestWorkTemplate ?? {} })
      await reportApplied(hub, metadata, 'True')
      const condition = { type: 'PlacementRolledOut', status: 'True', reason: 'Complete', message: '' }
      const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }]
      const ref = { namespace: 'shop', name }
      await hub.client.patch(ManifestWorkReplicaSet, ref, { status: { conditions } }, { subresource: 'status' })
    }
    const draft = { name: 'web', manifests: [configMap('a'), configMap('b')], overwrite: true }
    const late = /^OperationError: replica set shop\/web is not rolled out yet/
    await assert.rejects(createReplicaSet(hub.client, placement, draft, { movingMilliseconds: 200 }), late)
    const joining = createReplicaSet(hub.client, placement, draft)
    const { spec } = await setOf('web')
    const change = { spec: { workload: spec?.manifestWorkTemplate?.workload } } as never
    await hub.client.patch(ManifestWork, { namespace: 'c1', name: 'web' }, change)
    await reportApplied(hub, { namespace: 'c1', name: 'web' }, 'True')
    assert.deepEqual(await joining, { change: 'changed', names: ['web'] })
    assert.equal(await hub.client.find(ManifestWorkReplicaSet, { namespace: 'shop', name: 'web-2' }), undefined)
  })

  test('remove a replica set from the placement, and keep it for others', async (t) => {
    const hub = await startWithPlacement(t)
    await hub.client.create(Placement, { metadata: { namespace: 'shop', name: 'us' }, spec: {} })
    const [eu, us] = [
      { namespace: 'shop', name: 'eu' },
      { namespace: 'shop', name: 'us' },
    ]
    const large = (name: string) => configMap(name, { text: 'x'.repeat(300 * 1024) })
    const draft = { name: 'web', manifests: [large('a'), large('b')], overwrite: true }
    const take = (placement: typeof eu) => deleteReplicaSet(hub.client, placement, 'web')
    assert.equal(await take(eu), undefined)
    await createReplicaSet(hub.client, eu, draft)
    await createReplicaSet(hub.client, eu, { ...draft, name: 'web-9', manifests: [configMap('a')] })
    await createReplicaSet(hub.client, us, draft)
    assert.deepEqual(await take(eu), { names: ['web', 'web-2'], others: ['us'] })
    await assert.rejects(take(eu), /does not have placement eu, but us/)
    const { spec } = await hub.client.get(ManifestWorkReplicaSet, { namespace: 'shop', name: 'web-2' })
    assert.deepEqual(
      spec?.placementRefs.map(({ name }) => name),
      ['us'],
    )
    assert.deepEqual(await take(us), { names: ['web', 'web-2'], others: [] })
    const { items } = await hub.client.list(ManifestWorkReplicaSet, { namespace: 'shop' })
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['web-9'],
    )
  })

  test('reject a replica set with sealed values of one cluster', async (t) => {
    const hub = await startWithPlacement(t)
    const placement = { namespace: 'shop', name: 'eu' }
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password' }, stringData: { value: 'x' } }
    const draft = { name: 'db', manifests: [secret] }
    const why = /only one cluster can read sealed values.*without --replicaset/
    await assert.rejects(createReplicaSet(hub.client, placement, { ...draft, seal: true }), why)
    const { publicKey } = generateSealingKeys()
    const sealed = sealManifest(secret, { cluster: 'c1', publicKey })
    await assert.rejects(createReplicaSet(hub.client, placement, { ...draft, manifests: [sealed] }), why)
    assert.equal((await hub.client.list(ManifestWorkReplicaSet)).items.length, 0)
  })
})

suite('cluster set operations', () => {
  test('add clusters, bind sets, and delete empty ones', async (t) => {
    const hub = await HubServer.start(t)
    await createCluster(hub, 'c1')
    await createClusterSet(hub.client, 'eu')
    await assert.rejects(createClusterSet(hub.client, 'eu'), /already/)
    assert.deepEqual(await assignClusters(hub.client, 'eu', ['c1']), ['c1'])
    assert.deepEqual(await assignClusters(hub.client, 'eu', ['c1']), [])
    assert.equal((await hub.client.get(ManagedCluster, { name: 'c1' })).metadata.labels?.[CLUSTER_SET_LABEL], 'eu')
    assert.equal(await bindClusterSet(hub.client, 'eu', 'default'), true)
    assert.equal(await bindClusterSet(hub.client, 'eu', 'default'), false)
    const eu = (await clusterSetOverviews(hub.client)).find(({ name }) => name === 'eu')
    assert.deepEqual([eu?.clusters, eu?.namespaces], [['c1'], ['default']])
    await assert.rejects(deleteClusterSet(hub.client, 'eu'), /clusterset set default --clusters c1/)
    await assignClusters(hub.client, 'default', ['c1'])
    await deleteClusterSet(hub.client, 'eu')
    assert.equal(await hub.client.find(ManagedClusterSet, { name: 'eu' }), undefined)
    assert.equal(await unbindClusterSet(hub.client, 'eu', 'default'), true)
    assert.equal(await unbindClusterSet(hub.client, 'eu', 'default'), false)
    assert.deepEqual((await hub.client.list(ManagedClusterSetBinding)).items, [])
  })

  test('select clusters by label', async (t) => {
    const hub = await HubServer.start(t)
    await createClusterSet(hub.client, 'gpu', { selector: 'hardware in (a100, h100), !old' })
    const { spec } = await hub.client.get(ManagedClusterSet, { name: 'gpu' })
    assert.deepEqual(spec.clusterSelector.labelSelector?.matchExpressions, [
      { key: 'hardware', operator: 'In', values: ['a100', 'h100'] },
      { key: 'old', operator: 'DoesNotExist' },
    ])
    await assert.rejects(assignClusters(hub.client, 'gpu', []), /its selector matches/)
    await assert.rejects(createClusterSet(hub.client, 'big', { selector: 'size>3' }), /cannot select by size/)
  })

  test('report missing sets, clusters and namespaces', async (t) => {
    const hub = await HubServer.start(t)
    await hub.when(ManagedClusterSet, { name: 'default' })
    await assert.rejects(assignClusters(hub.client, 'nope', ['c1']), /cluster set nope not found/)
    await assert.rejects(assignClusters(hub.client, 'default', ['ghost']), /cluster ghost not found/)
    await assert.rejects(bindClusterSet(hub.client, 'default', 'nowhere'), /namespace nowhere does not exist/)
    await assert.rejects(deleteClusterSet(hub.client, 'global'), /belongs to the hub/)
  })
})

test('problemsOfWork: a deletion without an answer of the agent is a problem after some seconds', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z'
  const problemsAfter = (seconds: number, conditions: object[] = []) =>
    problemsOf(
      {
        metadata: { name: 'w', namespace: 'c1', deletionTimestamp },
        status: { conditions },
      } as unknown as ManifestWork,
      { now: Date.parse(deletionTimestamp) + seconds * 1_000 },
    ).map(({ message }) => message)
  assert.deepEqual(problemsAfter(1), [])
  assert.match(problemsAfter(6).join(), /^the agent of the cluster has not answered yet: run `orrery get clusters`/)
  const reported = { type: 'Deleting', status: 'True', reason: 'R', message: 'waits for a finalizer' }
  assert.deepEqual(problemsAfter(6, [reported]), ['waits for a finalizer'])
})

test('problemsOfWork: name the manifest, in their order', () => {
  const manifest = (ordinal: number, type: string, status: string) => ({
    resourceMeta: { ordinal, kind: 'ConfigMap', namespace: 'a', name: `m${ordinal}` },
    conditions: [{ type, status, reason: 'R', message: `of ${ordinal}`, lastTransitionTime: '' }],
  })
  const work = {
    metadata: { name: 'w', namespace: 'c1' },
    status: {
      resourceStatus: {
        manifests: [
          manifest(2, 'Available', 'False'),
          manifest(0, 'Applied', 'False'),
          manifest(1, 'Applied', 'True'),
          { ...manifest(3, 'Applied', 'False'), resourceMeta: { ordinal: 3 } },
        ],
      },
    },
  } as unknown as ManifestWork
  assert.deepEqual(problemsOf(work), [
    { manifest: 'ConfigMap a/m0', number: 1, reason: 'R', message: 'of 0' },
    { manifest: 'ConfigMap a/m2', number: 3, reason: 'R', message: 'of 2' },
    { manifest: undefined, number: 4, reason: 'R', message: 'of 3' },
  ])
})

test('problemsOfWork: a work without a status is a problem after some seconds, if there is a message for it', () => {
  const creationTimestamp = '2026-01-01T00:00:00Z'
  const work = { metadata: { name: 'w', namespace: 'c1', creationTimestamp } } as unknown as ManifestWork
  const after = (seconds: number, notReported?: string) =>
    problemsOf(work, {
      now: Date.parse(creationTimestamp) + seconds * 1_000,
      ...(notReported !== undefined && { notReported }),
    }).map(problemText)
  assert.deepEqual([after(6), after(1, 'no agent')], [[], []])
  assert.deepEqual(after(6, 'no agent'), ['NoStatus: no agent'])
})

test('problemsOfWork: a crashing container comes with the command that reads its logs', () => {
  const textOf = (kind: string, namespace: string, message: string) => {
    const conditions = [{ type: 'Degraded', status: 'True', reason: 'Failed', message, lastTransitionTime: '' }]
    const resourceMeta = { ordinal: 0, kind, namespace, name: 'web' }
    return problemsOf({
      metadata: { name: 'w', namespace: 'c1' },
      status: { resourceStatus: { manifests: [{ resourceMeta, conditions }] } },
    } as unknown as ManifestWork).map(problemText)
  }
  const crash = 'container app is waiting: CrashLoopBackOff: exited with code 7 (Error), 2 restarts'
  const unready = '0 of 3 replicas are available: pod'
  assert.deepEqual(textOf('Deployment', 'shop', `${unready} web-1-x: ${crash}`), [
    `manifest 1 (Deployment shop/web) Failed: ${unready} web-1-x: ${crash}: ` +
      'read the logs with `kubectl --context c1 -n shop logs web-1-x -c app --previous`',
  ])
  assert.match(
    textOf('Deployment', 'shop', `${unready} web-1-x and 2 more: ${crash}`).join(),
    / logs web-1-x -c app --previous`$/,
  )
  assert.match(textOf('Pod', 'shop', crash).join(), / -n shop logs web -c app --previous`$/)
  for (const [kind, namespace, message] of [
    ['Deployment', 'shop', crash],
    ['Deployment', 'shop; true', `${unready} web-1-x: ${crash}`],
    ['Deployment', 'shop', `${unready} $(true): ${crash}`],
    ['Pod', 'shop', 'container app is waiting: ImagePullBackOff: no such image'],
  ] as const) {
    assert.doesNotMatch(textOf(kind, namespace, message).join(), /kubectl/)
  }
})
