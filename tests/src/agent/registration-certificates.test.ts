import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  AGENT_NAMESPACE,
  CLUSTER_NAME_LABEL,
  HUB_KUBECONFIG_SECRET,
  ManagedCluster,
  ManagedClusterCondition,
} from '@orrery/api'
import { CertificateSigningRequest, Event, Lease, Secret } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { denyRequest } from '@orrery/kube/csr'
import { parseCertificatePem } from '@orrery/kube/pki'
import { askForCertificate } from '../hub/agent-csr.js'
import { conditionOf, leaseOf, says } from '../hub/clusters.js'
import { advance, approveAll, isAvailable, join, requestsOf, trusting } from './joining.js'
import { HUB_SERVER, hubBootstrap, type Spoke, startWorld } from './spoke.js'

const { CertificateRotated } = ManagedClusterCondition
const HOUR = 3_600_000
const MINUTE = 60_000
const hubSecret = { namespace: AGENT_NAMESPACE, name: HUB_KUBECONFIG_SECRET }

async function certificateOn(spoke: Spoke) {
  const { data } = await spoke.client.get(Secret, hubSecret)
  return parseCertificatePem(Buffer.from(data?.['tls.crt'] ?? '', 'base64').toString('utf8'))
}

suite('agent certificate', () => {
  test('is renewed when 20 to 25 % of its lifetime is left, without a rejected request', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    await join(hub, spoke, link, 'c1', { certificateSeconds: 3_600 })
    const first = await certificateOn(spoke)
    const total = first.notAfter.getTime() - first.notBefore.getTime()
    const until = (share: number) => first.notAfter.getTime() - share * total - hub.clock.now().getTime()
    await advance(hub, until(0.26))
    await hub.settle()
    assert.equal((await certificateOn(spoke)).fingerprint, first.fingerprint)
    assert.equal((await requestsOf(hub, 'c1')).length, 1)
    await advance(hub, until(0.19))
    await hub.eventually('there is another certificate', async () => {
      return (await certificateOn(spoke)).fingerprint !== first.fingerprint
    })
    const second = await certificateOn(spoke)
    assert.ok(second.notAfter > first.notAfter)
    const range = second.notAfter.toISOString().slice(0, 19).replace('T', ' ')
    await hub.when(ManagedCluster, { name: 'c1' }, (cluster) => {
      const { status, message = '' } = conditionOf(cluster, CertificateRotated) ?? {}
      return status === 'True' && message.endsWith(`to ${range} +0000 UTC`)
    })
    await advance(hub, until(0) + 10 * MINUTE)
    await hub.when(Lease, leaseOf('c1'), ({ spec }) => Date.parse(spec?.renewTime ?? '') > first.notAfter.getTime())
    assert.deepEqual(link.refused, [])
    assert.equal(await spoke.client.find(Secret, { ...hubSecret, name: 'hub-kubeconfig-request' }), undefined)
  })

  test('is requested with the stored lifetime at later starts, too', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const agent = await join(hub, spoke, link, 'c1', { certificateSeconds: 3_600 })
    await agent.close()
    await spoke.client.delete(Secret, hubSecret)
    await spoke.startAgent(link, { clusterName: 'c1', takeOver: true })
    await hub.eventually('it is requested again', async () => (await requestsOf(hub, 'c1')).length === 2)
    const requests = await requestsOf(hub, 'c1')
    assert.deepEqual(
      requests.map(({ spec }) => spec.expirationSeconds),
      [3_600, 3_600],
    )
  })

  test('is rotated under load without a failed request', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    let client: KubeClient | undefined
    await join(hub, spoke, link, 'c1', {
      certificateSeconds: 3_600,
      parts: [
        {
          name: 'load',
          start: async ({ hub }) => {
            client = hub
            return { close: async () => undefined }
          },
        },
      ],
    })
    await hub.eventually('works are applied', async () => client !== undefined)
    const first = await certificateOn(spoke)
    // It is renewed when a quarter of the hour is left at most.
    await advance(hub, 40 * MINUTE)
    let isLoaded = true
    let served = 0
    const load = Array.from({ length: 4 }, async () => {
      while (isLoaded) {
        await (client as KubeClient).get(ManagedCluster, { name: 'c1' })
        served++
      }
    })
    while (hub.clock.now() < new Date(first.notAfter.getTime() + 5 * MINUTE)) await advance(hub, 30_000)
    const before = served
    await hub.eventually('requests are served', async () => served > before + 100)
    isLoaded = false
    await Promise.all(load)
    assert.notEqual((await certificateOn(spoke)).fingerprint, first.fingerprint)
    assert.deepEqual(link.refused, [])
  })

  test('is requested again with the bootstrap credentials after it expired, and works continue', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    let starts = 0
    const start = async () => {
      starts++
      return { close: async () => undefined }
    }
    const agent = await join(hub, spoke, link, 'c1', { certificateSeconds: 3_600, parts: [{ name: 'counted', start }] })
    const first = await certificateOn(spoke)
    link.cut(HUB_SERVER)
    await advance(hub, 2 * HOUR)
    assert.match(agent.state.problem ?? '', /requests to the hub fail/)
    link.mend(HUB_SERVER)
    await hub.eventually('there is another certificate', async () => {
      hub.clock.advance(1_000)
      return (await certificateOn(spoke)).fingerprint !== first.fingerprint
    })
    await hub.eventually('the cluster is available again', async () => {
      hub.clock.advance(1_000)
      return isAvailable(await hub.client.get(ManagedCluster, { name: 'c1' }))
    })
    assert.equal(agent.state.phase, 'joined')
    assert.equal(starts, 1)
  })

  test('is requested again if it is not yet valid because the clocks were ahead', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    await join(hub, spoke, link, 'c1')
    const first = await certificateOn(spoke)
    const ahead = 400 * 24 * HOUR
    hub.clock.adjust(ahead)
    await hub.eventually('there is a certificate of the future', async () => {
      await advance(hub, MINUTE)
      return (await certificateOn(spoke)).notBefore > first.notAfter
    })
    hub.clock.adjust(-ahead)
    await hub.eventually('there is one for now', async () => {
      await advance(hub, MINUTE)
      return (await certificateOn(spoke)).notBefore < hub.clock.now()
    })
    const since = hub.clock.now().getTime()
    await hub.eventually('the lease is renewed', async () => {
      await advance(hub, MINUTE)
      const { spec } = await hub.client.get(Lease, leaseOf('c1'))
      const renewed = Date.parse(spec?.renewTime ?? '')
      return renewed > since && renewed <= hub.clock.now().getTime()
    })
  })

  test('is not requested while ten requests are pending', async (t) => {
    const { hub, spoke, link } = await startWorld(t)
    for (let round = 0; round < 10; round++) {
      await askForCertificate(hub.asBootstrapper(), { cluster: 'c1', agent: 'other' })
    }
    const agent = await spoke.startAgent(link, { clusterName: 'c1' })
    await hub.eventually('the agent reports it', async () => /too many csr/.test(agent.state.problem ?? ''))
    const [oldest, ...rest] = await requestsOf(hub, 'c1')
    assert.equal(rest.length, 9)
    await hub.client.delete(CertificateSigningRequest, { name: oldest?.metadata.name ?? '' })
    await hub.eventually('it sends a request', async () => {
      return (await requestsOf(hub, 'c1')).some(
        ({ metadata }) => !rest.some((one) => one.metadata.name === metadata.name),
      )
    })
  })

  test('has an event on the hub when its renewal is halted', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    await join(hub, spoke, link, 'c1', { certificateSeconds: 3_600 })
    await hub.stopControllers()
    for (let round = 0; round < 10; round++) {
      await askForCertificate(hub.asBootstrapper(), { cluster: 'c1', agent: 'other' })
    }
    await advance(hub, 50 * MINUTE)
    const cluster = await hub.when(ManagedCluster, { name: 'c1' }, says(CertificateRotated, 'False'))
    assert.equal(conditionOf(cluster, CertificateRotated)?.reason, 'ClientCertificateUpdateFailed')
    await hub.eventually('there is an event', async () => {
      const { items } = await hub.client.list(Event, { namespace: 'c1' })
      return items.some(({ reason }) => reason === 'ClientCertificateCreationHalted')
    })
  })

  test('is requested again after the hub has deleted the denied request', async (t) => {
    const { hub, spoke, link } = await startWorld(t)
    const agent = await spoke.startAgent(link, { clusterName: 'c1' })
    await hub.eventually('there is a request', async () => (await requestsOf(hub, 'c1')).length > 0)
    const [request] = await requestsOf(hub, 'c1')
    const why = { reason: 'NotYou', message: 'nobody knows you' }
    await denyRequest(hub.client, request as CertificateSigningRequest, why, { clock: hub.clock })
    await hub.eventually('the agent reports it', async () => /nobody knows you/.test(agent.state.problem ?? ''))
    await hub.settle()
    assert.equal((await requestsOf(hub, 'c1')).length, 1)
    await hub.client.delete(CertificateSigningRequest, { name: request?.metadata.name ?? '' })
    await hub.eventually('it sends another request', async () => (await requestsOf(hub, 'c1')).length > 0)
    await approveAll(hub, 'c1')
    await hub.eventually('there is a certificate', async () => {
      return (await spoke.client.get(Secret, hubSecret)).data?.['tls.crt'] !== undefined
    })
  })

  test('for another hub is not used: the agent joins the hub of the current bootstrap kubeconfig', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const agent = await join(hub, spoke, link, 'c1')
    const first = await certificateOn(spoke)
    const bootstrap = { namespace: AGENT_NAMESPACE, name: 'bootstrap-hub-kubeconfig' }
    const change = async (kubeconfig: string) => {
      await spoke.client.patch(Secret, bootstrap, { stringData: { kubeconfig } })
    }
    await change(await hubBootstrap(HUB_SERVER, 'hub').then((text) => `# the same\n${text}`))
    await hub.settle()
    assert.equal((await certificateOn(spoke)).fingerprint, first.fingerprint)
    const moved = 'https://moved.example:6443'
    link.add(moved, hub)
    let count = 1
    for (const kubeconfig of [await hubBootstrap(HUB_SERVER, 'rebuilt'), await hubBootstrap(moved, 'rebuilt')]) {
      const before = await certificateOn(spoke)
      await change(kubeconfig)
      count++
      await hub.eventually('it sends another request', async () => (await requestsOf(hub, 'c1')).length === count)
      // The hub sees an active cluster of that name: an administrator has to approve.
      await approveAll(hub, 'c1')
      await hub.eventually('there is another certificate', async () => {
        return (await certificateOn(spoke)).fingerprint !== before.fingerprint
      })
      await hub.eventually('it has joined again', async () => agent.state.phase === 'joined')
    }
    assert.equal('hub' in agent.state && agent.state.hub, moved)
    assert.ok((await requestsOf(hub, 'c1')).every(({ metadata }) => metadata.labels?.[CLUSTER_NAME_LABEL] === 'c1'))
  })
})
