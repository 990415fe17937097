import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import { suite, test } from 'node:test'
import {
  AGENT_NAMESPACE,
  BOOTSTRAP_SECRET,
  CLUSTER_NAME_LABEL,
  HUB_KUBECONFIG_SECRET,
  ManagedCluster,
  ManagedClusterCondition,
} from '@orrery/api'
import { Lease, Secret } from '@orrery/kinds'
import { clientConfigOf, parseKubeconfig } from '@orrery/kube/kubeconfig'
import { parseCertificatePem, parseCsr } from '@orrery/kube/pki'
import { patience } from '@orrery/kube/testing'
import { conditionOf, leaseOf, says } from '../hub/clusters.js'
import { accept, approveAll, isAvailable, join, requestsOf, trusting } from './joining.js'
import { HUB_SERVER, Spoke, startWorld } from './spoke.js'

const { CertificateRotated, HubAccepted, Joined } = ManagedClusterCondition
const hubSecret = { namespace: AGENT_NAMESPACE, name: HUB_KUBECONFIG_SECRET }
const text = (secret: Secret, key: string) => Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8')

suite('agent join', () => {
  test('is available as soon as the hub accepts the cluster, without a rejected request', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const agent = await join(hub, spoke, link, 'c1', { agentName: 'a1' })
    assert.equal(agent.state.phase, 'joined')
    const cluster = await hub.when(ManagedCluster, { name: 'c1' }, says(CertificateRotated, 'True'))
    assert.ok(says(Joined, 'True', 'ManagedClusterJoined')(cluster))
    assert.match(
      conditionOf(cluster, CertificateRotated)?.message ?? '',
      /^client certificate rotated starting from \d{4}-/,
    )
    assert.match(cluster.status?.version?.kubernetes ?? '', /^v1\./)
    const lease = await hub.when(Lease, leaseOf('c1'), ({ spec }) => spec?.renewTime !== undefined)
    assert.equal(lease.spec?.holderIdentity, 'managed-cluster-lease')
    assert.deepEqual(link.refused, [])
  })

  test('requests its certificate as Open Cluster Management does', async (t) => {
    const { hub, spoke, link } = await startWorld(t)
    const options = { agentName: 'a1', clusterName: 'c1', certificateSeconds: 7_200 }
    await spoke.startAgent(link, {
      ...options,
      externalServerUrls: ['https://c1.example'],
      externalServerCa: 'PEM',
      clusterAnnotations: { 'agent.open-cluster-management.io/x': '1', other: '2' },
    })
    await hub.eventually('there is a request', async () => (await requestsOf(hub, 'c1')).length > 0)
    const [request] = await requestsOf(hub, 'c1')
    assert.match(request?.metadata.name ?? '', /^c1-/)
    assert.deepEqual(request?.metadata.labels, { [CLUSTER_NAME_LABEL]: 'c1' })
    assert.equal(request?.spec.signerName, 'kubernetes.io/kube-apiserver-client')
    assert.equal(request?.spec.expirationSeconds, 7_200)
    assert.deepEqual(request?.spec.usages, ['digital signature', 'key encipherment', 'client auth'])
    const { subject } = parseCsr(Buffer.from(request?.spec.request ?? '', 'base64').toString())
    assert.equal(subject.commonName, 'system:open-cluster-management:c1:a1')
    assert.deepEqual(subject.organizations, [
      'system:open-cluster-management:c1',
      'system:open-cluster-management:managed-clusters',
    ])
    const { metadata, spec } = await hub.client.get(ManagedCluster, { name: 'c1' })
    assert.deepEqual(metadata.annotations, { 'agent.open-cluster-management.io/x': '1' })
    assert.deepEqual(spec?.managedClusterClientConfigs, [
      { url: 'https://c1.example', caBundle: Buffer.from('PEM').toString('base64') },
    ])
    assert.notEqual(spec?.hubAcceptsClient, true)
  })

  test('waits for an administrator, for approval and acceptance in any order', async (t) => {
    const { hub, spoke, link } = await startWorld(t)
    for (const [name, steps] of [
      ['c1', [approveAll, accept]],
      ['c2', [accept, approveAll]],
    ] as const) {
      const agent = await spoke.startAgent(link, { clusterName: name, namespace: name })
      await hub.eventually('there is a request', async () => (await requestsOf(hub, name)).length > 0)
      for (const step of steps) {
        assert.equal(agent.state.phase, 'bootstrapping')
        await step(hub, name)
        await hub.settle()
      }
      await hub.when(ManagedCluster, { name }, isAvailable)
      assert.equal((await requestsOf(hub, name)).length, 1)
      await agent.close()
    }
    assert.deepEqual(link.refused, [])
  })

  test('stores its credentials in the form of Open Cluster Management', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const directory = await mkdtemp(pathOf(tmpdir(), 'orrery-test-'))
    t.after(() => rm(directory, { recursive: true, force: true }))
    const hubKubeconfigDirectory = pathOf(directory, 'hub-kubeconfig')
    await join(hub, spoke, link, 'c1', { agentName: 'a1', hubKubeconfigDirectory })
    const secret = await spoke.client.get(Secret, hubSecret)
    const keys = ['agent-name', 'cluster-name', 'kubeconfig', 'tls.crt', 'tls.key']
    assert.deepEqual(Object.keys(secret.data ?? {}).sort(), keys)
    assert.equal(text(secret, 'cluster-name'), 'c1')
    assert.equal(text(secret, 'agent-name'), 'a1')
    const kubeconfig = await parseKubeconfig(text(secret, 'kubeconfig'))
    assert.equal(kubeconfig.currentContext, 'default-context')
    assert.deepEqual(kubeconfig.contexts.get('default-context')?.value, {
      cluster: 'hub',
      user: 'default-auth',
      namespace: 'configuration',
    })
    const config = clientConfigOf(kubeconfig)
    assert.equal(config.server, HUB_SERVER)
    assert.deepEqual(config.clientCertificate, { file: 'tls.crt' })
    assert.deepEqual(config.clientKey, { file: 'tls.key' })
    assert.equal(config.token, undefined)
    assert.match(text(secret, 'tls.key'), /^-----BEGIN EC PRIVATE KEY-----\n/)
    const { subject } = parseCertificatePem(text(secret, 'tls.crt'))
    assert.equal(subject.commonName, 'system:open-cluster-management:c1:a1')
    for (const key of keys) {
      assert.equal(await readFile(pathOf(hubKubeconfigDirectory, key), 'utf8'), text(secret, key))
      assert.equal((await stat(pathOf(hubKubeconfigDirectory, key))).mode & 0o777, 0o600)
    }
  })

  test('keeps its name and certificate after a restart, without a new request', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const first = await spoke.startAgent(link)
    await hub.when(ManagedCluster, { name: first.clusterName }, isAvailable)
    assert.match(first.clusterName, /^[0-9a-f]{8}-/)
    assert.match(first.agentName, /^[a-z0-9]{5}$/)
    await first.close()
    await spoke.client.delete(Secret, { namespace: AGENT_NAMESPACE, name: BOOTSTRAP_SECRET })
    link.seen.length = 0
    const second = await spoke.startAgent(link, { bootstrap: { secretNames: [BOOTSTRAP_SECRET] } })
    await second.whenJoined(patience())
    assert.equal(second.clusterName, first.clusterName)
    assert.equal(second.agentName, first.agentName)
    await hub.eventually('the lease is renewed', async () => link.seen.some(({ method }) => method === 'PUT'))
    assert.ok(link.seen.every(({ user }) => user.endsWith(`:${first.agentName}`)))
  })

  test('sends one request however often it starts', async (t) => {
    const { hub, spoke, link } = await startWorld(t)
    for (let round = 0; round < 3; round++) {
      const agent = await spoke.startAgent(link)
      await hub.eventually('there is a request', async () => (await requestsOf(hub, agent.clusterName)).length > 0)
      await hub.settle()
      assert.equal((await requestsOf(hub, agent.clusterName)).length, 1)
      await agent.close()
    }
  })

  test('waits for a bootstrap kubeconfig, and reports it', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const agent = await spoke.startAgent(link, {
      clusterName: 'c1',
      bootstrap: { secretNames: [BOOTSTRAP_SECRET] },
    })
    assert.equal(agent.state.phase, 'waiting')
    assert.match(agent.state.problem ?? '', /bootstrap-hub-kubeconfig/)
    const other = await Spoke.start(t, hub.clock)
    await other.startAgent(link, { clusterName: 'c2' })
    const { data } = await other.client.get(Secret, { namespace: AGENT_NAMESPACE, name: BOOTSTRAP_SECRET })
    const metadata = { namespace: AGENT_NAMESPACE, name: BOOTSTRAP_SECRET }
    await spoke.client.create(Secret, { metadata, ...(data && { data }) })
    await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'True'))
    await hub.when(ManagedCluster, { name: 'c1' }, isAvailable)
  })
})
