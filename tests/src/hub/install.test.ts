import assert from 'node:assert/strict'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import {
  addOnConverters,
  ClusterManagementAddOn,
  CREATED_BY_ANNOTATION,
  hubCrds,
  ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterCondition,
  ManagedClusterSetBinding,
  Placement,
} from '@orrery/api'
import { startApiServer } from '@orrery/apiserver'
import {
  EMBEDDED_HUB_FEATURES,
  ensureBootstrapToken,
  findBootstrapToken,
  HUB_SERVICE_ACCOUNT,
  installHub,
  startHub,
} from '@orrery/hub'
import {
  type ApiObject,
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  Namespace,
  RoleBinding,
  Secret,
  ServiceAccount,
} from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { type KubeClient, writeStatus } from '@orrery/kube'
import { isApproved } from '@orrery/kube/csr'
import { eventually } from '@orrery/kube/testing'
import { askForCertificate } from './agent-csr.js'

async function startEmptyServer(t: { after(end: () => Promise<void>): void }) {
  const server = await startApiServer({ host: false, converters: addOnConverters })
  t.after(() => server.close())
  return { server, client: server.client() }
}

suite('installHub', () => {
  test('makes an API server a hub', async (t) => {
    const { client } = await startEmptyServer(t)
    await installHub(client)
    for (const crd of hubCrds()) {
      const { group, names, versions } = crd.spec
      for (const { name } of versions) await client.getJson(`/apis/${group}/${name}/${names.plural}`)
    }
    for (const name of ['open-cluster-management', 'open-cluster-management-hub']) await client.get(Namespace, { name })
    await client.get(ServiceAccount, { namespace: 'open-cluster-management', name: 'agent-registration-bootstrap' })
    await client.get(ServiceAccount, { namespace: 'open-cluster-management-hub', name: HUB_SERVICE_ACCOUNT })
    const bindings = await Promise.all(
      ['agent-registration', 'managedcluster'].map((name) =>
        client.get(ClusterRoleBinding, { name: `open-cluster-management:bootstrap:${name}` }),
      ),
    )
    assert.deepEqual(
      bindings.map(({ roleRef, subjects }) => [roleRef.name, subjects?.map(({ kind, name }) => `${kind} ${name}`)]),
      [
        ['open-cluster-management:bootstrap', ['ServiceAccount agent-registration-bootstrap']],
        ['open-cluster-management:bootstrap', ['Group system:bootstrappers:managedcluster']],
      ],
    )
    assert.equal(await findBootstrapToken(client), undefined)
  })

  test('writes nothing if it is repeated, and corrects changes', async (t) => {
    const { client } = await startEmptyServer(t)
    await installHub(client)
    const versions = async () => {
      const lists = await Promise.all(
        [CustomResourceDefinition, ClusterRole, ClusterRoleBinding].map((kind) => client.list<ApiObject>(kind)),
      )
      return lists.flatMap(({ items }) => items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`))
    }
    const before = await versions()
    await installHub(client)
    assert.deepEqual(await versions(), before)
    await client.patch(ClusterRole, { name: 'open-cluster-management:bootstrap' }, { rules: [] })
    await installHub(client)
    const { rules } = await client.get(ClusterRole, { name: 'open-cluster-management:bootstrap' })
    assert.equal(rules?.length, 4)
  })

  test('stops when it is aborted', async (t) => {
    const { client } = await startEmptyServer(t)
    await assert.rejects(installHub(client, { signal: AbortSignal.abort(new Error('enough')) }), /enough/)
  })
})

suite('bootstrap token', () => {
  test('is created once', async (t) => {
    const { client } = await startEmptyServer(t)
    const { bootstrapToken = '' } = await installHub(client, { bootstrapToken: true })
    assert.match(bootstrapToken, /^ocmhub\.[a-z0-9]{16}$/)
    assert.equal((await installHub(client, { bootstrapToken: true })).bootstrapToken, bootstrapToken)
    assert.equal(await findBootstrapToken(client), bootstrapToken)
    const secret = await client.get(Secret, { namespace: 'kube-system', name: 'bootstrap-token-ocmhub' })
    assert.equal(secret.type, 'bootstrap.kubernetes.io/token')
  })

  test('is the same for concurrent callers', async (t) => {
    const { client } = await startEmptyServer(t)
    const tokens = await Promise.all(Array.from({ length: 5 }, () => ensureBootstrapToken(client)))
    assert.equal(new Set(tokens).size, 1)
  })
})

suite('startHub', () => {
  test('needs no more permissions than it is installed with', async (t) => {
    const { client, server } = await startEmptyServer(t)
    await installHub(client)
    const username = `system:serviceaccount:open-cluster-management-hub:${HUB_SERVICE_ACCOUNT}`
    const identity = { username, uid: '', groups: ['system:authenticated'], extra: {} }
    const own = server.client({ identity })
    const features = { ...EMBEDDED_HUB_FEATURES, ManagedClusterAutoApproval: true }
    const hub = await startHub({ client: own, features, options: { autoApprovedUsers: ['system:apiserver'] } })
    t.after(() => hub.close())
    const annotations = { [CREATED_BY_ANNOTATION]: 'system:apiserver' }
    await client.create(ManagedCluster, { metadata: { name: 'c1', annotations }, spec: {} })
    const { metadata } = await askForCertificate(client, { cluster: 'c1' })
    await eventually('the request is approved', async () =>
      isApproved(await client.get(CertificateSigningRequest, metadata)),
    )
    await eventually('the cluster is accepted', async () => {
      const { status } = await client.get(ManagedCluster, { name: 'c1' })
      return isConditionTrue(status?.conditions, ManagedClusterCondition.HubAccepted)
    })
    await useAddOn(client, 'c1')
    await client.delete(ManagedCluster, { name: 'c1' })
    await eventually('it is gone', async () => (await client.find(ManagedCluster, { name: 'c1' })) === undefined)
    assert.deepEqual((await client.list(RoleBinding, { namespace: 'c1' })).items, [])
    assert.equal(hub.health.isHealthy, true, JSON.stringify(hub.health))
  })

  test('counts its clusters', async (t) => {
    const { client } = await startEmptyServer(t)
    await installHub(client)
    const hub = await startHub({ client })
    t.after(() => hub.close())
    await client.create(ManagedCluster, { metadata: { name: 'c1' }, spec: { hubAcceptsClient: true } })
    await eventually('it is counted', async () =>
      hub.metrics.render().includes('orrery_hub_managed_clusters{accepted="true",available="Unknown"} 1'),
    )
  })

  test('leaves nothing running if the start is aborted', async (t) => {
    const { client } = await startEmptyServer(t)
    const ending = new AbortController()
    const starting = startHub({ client, signal: ending.signal })
    ending.abort(new Error('enough'))
    await assert.rejects(starting, /enough/)
  })

  test('stands by if it is not the leader', async (t) => {
    const { client } = await startEmptyServer(t)
    await installHub(client)
    const never = new Promise<AbortSignal>(() => undefined)
    const leadership = {
      whenLeader: (signal: AbortSignal) =>
        Promise.race([never, once(signal, 'abort').then(() => Promise.reject(signal.reason))]),
      release: () => Promise.resolve(),
    }
    const hub = await startHub({ client, leadership })
    await client.create(ManagedCluster, { metadata: { name: 'c1' }, spec: { hubAcceptsClient: true } })
    assert.deepEqual(new Set(hub.health.controllers.map(({ state }) => state)), new Set(['standby']))
    assert.equal(hub.health.isHealthy, true)
    await hub.close()
    assert.equal(await client.find(Namespace, { name: 'c1' }), undefined)
  })
})

/** Installs an add-on by placement whose agent has a token, and waits until the hub has done its part. */
async function useAddOn(client: KubeClient, cluster: string): Promise<void> {
  const all = { namespace: 'default', name: 'all' }
  await client.create(ManagedClusterSetBinding, {
    metadata: { namespace: 'default', name: 'global' },
    spec: { clusterSet: 'global' },
  })
  await client.create(Placement, { metadata: all, spec: { tolerations: [{ operator: 'Exists' }] } })
  await client.create(ClusterManagementAddOn, {
    metadata: { name: 'hello' },
    spec: { installStrategy: { type: 'Placements', placements: [all] } },
  })
  const ref = { namespace: cluster, name: 'hello' }
  await eventually('the add-on is installed', async () => {
    return (await client.find(ManagedClusterAddOn, ref)) !== undefined
  })
  const registrations = [{ type: 'kubeClient', kubeClient: { driver: 'token' } }] as const
  const addOn = await client.get(ManagedClusterAddOn, ref)
  await writeStatus(client, ManagedClusterAddOn, addOn, ({ status }) => ({ ...status, registrations }))
  await eventually('the add-on is configured and has a service account', async () => {
    const conditions = (await client.get(ManagedClusterAddOn, ref)).status?.conditions
    return isConditionTrue(conditions, 'Configured') && isConditionTrue(conditions, 'TokenInfrastructureReady')
  })
}
