import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ManagedCluster, ManifestWork } from '@orrery/api'
import { startApiServer } from '@orrery/apiserver'
import { findBootstrapToken, installHub } from '@orrery/hub'
import {
  acceptCluster,
  acceptClusterWhenHere,
  beginDetaching,
  clusterOverviews,
  hubInfo,
  issueJoinToken,
  OperationError,
  revokeJoinTokens,
  whenDetached,
  whenJoined,
} from '@orrery/hub/operations'
import { CertificateSigningRequest, ServiceAccount } from '@orrery/kinds'
import { removeFinalizer } from '@orrery/kube'
import { isApproved } from '@orrery/kube/csr'
import { patience } from '@orrery/kube/testing'
import { askForCertificate } from './agent-csr.js'
import { availableCluster, createCluster, report } from './clusters.js'
import { HubServer } from './hub-server.js'

suite('acceptClusters', () => {
  test('approves the first certificate of the agent', async (t) => {
    const hub = await HubServer.start(t)
    await createCluster(hub, 'c1')
    const { metadata } = await askForCertificate(hub.asBootstrapper(), { cluster: 'c1' })
    assert.deepEqual(await acceptCluster(hub.client, 'c1', { clock: hub.clock }), {
      cluster: 'c1',
      approved: [metadata.name],
      passedOver: [],
      isNew: true,
      hasCertificate: true,
    })
    assert.ok(isApproved(await hub.client.get(CertificateSigningRequest, metadata)))
    assert.equal((await hub.client.get(ManagedCluster, { name: 'c1' })).spec?.hubAcceptsClient, true)
    const again = await acceptCluster(hub.client, 'c1', { clock: hub.clock })
    assert.deepEqual([again.isNew, again.approved, again.hasCertificate], [false, [], true])
  })

  test('approves no certificate that was requested without bootstrap credentials, unless that is allowed', async (t) => {
    const hub = await HubServer.start(t)
    await createCluster(hub, 'c1')
    const stranger = hub.as('mallory', 'system:masters')
    const { metadata } = await askForCertificate(stranger, { cluster: 'c1' })
    const { approved, passedOver, hasCertificate } = await acceptCluster(hub.client, 'c1', { clock: hub.clock })
    assert.deepEqual([approved, hasCertificate], [[], false])
    assert.deepEqual(passedOver, [{ request: metadata.name, requester: 'mallory' }])
    assert.deepEqual((await acceptCluster(hub.client, 'c1', { requesters: ['mallory'], clock: hub.clock })).approved, [
      metadata.name,
    ])
  })

  test('approves a certificate of any requester if that is allowed', async (t) => {
    const hub = await HubServer.start(t)
    await createCluster(hub, 'c1')
    const { metadata } = await askForCertificate(hub.as('ci', 'system:masters'), { cluster: 'c1' })
    assert.deepEqual((await acceptCluster(hub.client, 'c1', { anyRequester: true, clock: hub.clock })).approved, [
      metadata.name,
    ])
  })

  test('fails if several agents request the name', async (t) => {
    const hub = await HubServer.start(t)
    await createCluster(hub, 'c1')
    const requests = [
      await askForCertificate(hub.asBootstrapper(), { cluster: 'c1', agent: 'a' }),
      await askForCertificate(hub.asBootstrapper(), { cluster: 'c1', agent: 'b' }),
    ]
    await assert.rejects(acceptCluster(hub.client, 'c1', { clock: hub.clock }), (error: Error) => {
      assert.ok(error instanceof OperationError)
      for (const { metadata } of requests) assert.ok(error.message.includes(metadata.name), error.message)
      return true
    })
    assert.notEqual((await hub.client.get(ManagedCluster, { name: 'c1' })).spec?.hubAcceptsClient, true)
    for (const { metadata } of requests) {
      assert.equal(isApproved(await hub.client.get(CertificateSigningRequest, metadata)), false)
    }
  })

  test('approves both requests of an agent that requests twice', async (t) => {
    const hub = await HubServer.start(t)
    await createCluster(hub, 'c1')
    await askForCertificate(hub.asBootstrapper(), { cluster: 'c1' })
    await askForCertificate(hub.asBootstrapper(), { cluster: 'c1' })
    assert.equal((await acceptCluster(hub.client, 'c1', { clock: hub.clock })).approved.length, 2)
  })

  test('ignores requests that only look like those of the agent', async (t) => {
    const hub = await HubServer.start(t)
    await createCluster(hub, 'c1')
    const organizations = ['system:open-cluster-management:c1', 'admins']
    const { metadata } = await askForCertificate(hub.asBootstrapper(), { cluster: 'c1', organizations })
    assert.deepEqual((await acceptCluster(hub.client, 'c1', { anyRequester: true, clock: hub.clock })).approved, [])
    assert.equal(isApproved(await hub.client.get(CertificateSigningRequest, metadata)), false)
  })

  test('fails for a cluster that does not exist, or waits for it', async (t) => {
    const hub = await HubServer.start(t)
    await assert.rejects(acceptCluster(hub.client, 'c1', { clock: hub.clock }), /c1 does not exist on the hub yet/)
    const waiting = acceptClusterWhenHere(hub.client, 'c1', { signal: patience(), clock: hub.clock })
    await createCluster(hub, 'c1')
    const { metadata } = await askForCertificate(hub.asBootstrapper(), { cluster: 'c1' })
    assert.deepEqual((await waiting).approved, [metadata.name])
    const ending = AbortSignal.abort(new Error('enough'))
    await assert.rejects(acceptClusterWhenHere(hub.client, 'c2', { signal: ending }), /enough/)
  })
})

test('follows the join with bootstrap credentials', async (t) => {
  const hub = await HubServer.start(t)
  const stages: string[] = []
  const joined = whenJoined(hub.asBootstrapper(), 'c1', { signal: patience(), onStage: (stage) => stages.push(stage) })
  const cluster = await createCluster(hub, 'c1')
  await hub.eventually('it waits', async () => stages.includes('waiting'))
  await askForCertificate(hub.asBootstrapper(), { cluster: 'c1' })
  await acceptCluster(hub.client, 'c1', { clock: hub.clock })
  await hub.eventually('it is accepted', async () => stages.includes('accepted'))
  await hub.eventually('it has its permissions', async () => {
    try {
      await report(hub, cluster, 'ManagedClusterJoined', 'True')
      return true
    } catch {
      return false
    }
  })
  await joined
  assert.deepEqual(stages.slice(-3), ['waiting', 'accepted', 'joined'])
})

suite('detachCluster', () => {
  test('waits for the works, and reports it', async (t) => {
    const hub = await HubServer.start(t)
    await availableCluster(hub, 'c1')
    const manifests = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } }]
    const work = await hub.client.create(ManifestWork, {
      metadata: { namespace: 'c1', name: 'w', finalizers: ['example.com/hold'] },
      spec: { workload: { manifests } },
    })
    assert.equal(await beginDetaching(hub.client, 'c1'), true)
    const remains: string[] = []
    const gone = whenDetached(hub.client, 'c1', { signal: patience(), onRemains: (text) => remains.push(text) })
    await hub.eventually('the remaining works are reported', async () =>
      remains.some((text) => /manifestworks/.test(text)),
    )
    assert.match((await clusterOverviews(hub.client))[0]?.problem ?? '', /is being detached/)
    await removeFinalizer(hub.client, ManifestWork, work, 'example.com/hold')
    hub.clock.advance(10_000)
    const moving = setInterval(() => hub.clock.advance(1_000), 20)
    await gone.finally(() => clearInterval(moving))
    assert.equal(await beginDetaching(hub.client, 'c1'), false)
  })
})

test('join tokens: are issued and revoked', async (t) => {
  const hub = await HubServer.start(t)
  await installHub(hub.client, { bootstrapToken: true })
  assert.match(await issueJoinToken(hub.client, 3_600), /^ey/)
  assert.deepEqual(await revokeJoinTokens(hub.client), { bootstrapToken: true, serviceAccount: true })
  assert.equal(await findBootstrapToken(hub.client), undefined)
  assert.equal((await hub.client.list(ServiceAccount, { namespace: 'open-cluster-management' })).items.length < 2, true)
  await assert.rejects(issueJoinToken(hub.client, 3_600), /orrery init/)
  assert.deepEqual(await revokeJoinTokens(hub.client), { bootstrapToken: false, serviceAccount: false })
})

suite('hub overview', () => {
  test('reports what blocks each cluster', async (t) => {
    const hub = await HubServer.start(t)
    await createCluster(hub, 'waiting')
    await availableCluster(hub, 'well')
    const rows = await clusterOverviews(hub.client)
    assert.deepEqual(
      rows.map(({ name, state, problem }) => [name, state.phase, problem]),
      [
        ['waiting', 'pending', 'is not accepted yet: run `orrery accept --clusters waiting`'],
        ['well', 'available', undefined],
      ],
    )
  })

  test('counts the clusters of the hub', async (t) => {
    const hub = await HubServer.start(t)
    await availableCluster(hub, 'c1')
    await createCluster(hub, 'c2')
    const info = await hubInfo(hub.client)
    assert.deepEqual(info.clusters, { total: 2, accepted: 1, joined: 1, available: 1 })
    assert.deepEqual([info.missing, info.bootstrapToken], [[], false])
  })

  test('reports what an API server lacks to be a hub', async (t) => {
    const server = await startApiServer({ host: false })
    t.after(() => server.close())
    const { missing } = await hubInfo(server.client())
    assert.ok(missing.includes('managedclusters.cluster.open-cluster-management.io'))
  })
})
