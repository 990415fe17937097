import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { bootstrapKubeconfig, startAgent } from '@orrery/agent'
import {
  AGENT_NAMESPACE,
  addOnConverters,
  HUB_KUBECONFIG_SECRET,
  ManagedCluster,
  ManagedClusterCondition,
  ManifestWork,
  spokeCrds,
} from '@orrery/api'
import { startApiServer } from '@orrery/apiserver'
import { hubAdmission, installHub, startHub } from '@orrery/hub'
import { ConfigMap, CustomResourceDefinition, Lease, Secret } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { createLogger } from '@orrery/kube'
import { parseCertificatePem } from '@orrery/kube/pki'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { leaseOf } from '../hub/clusters.js'
import { whenQuiet } from '../support/quiet.js'
import { afterwards } from '../support/server.js'
import { trusting } from './joining.js'

const MINUTE = 60_000

/** A hub that listens, and a cluster, with a clock that starts at the real time, which TLS uses. */
async function startPair(t: TestContext) {
  const clock = new FakeClock(new Date())
  const admission = hubAdmission()
  const server = await startApiServer({ clock, converters: addOnConverters, admission: admission.plugins })
  afterwards(t, () => server.close())
  const hub = server.client()
  admission.useClient(hub)
  const { bootstrapToken: token = '' } = await installHub(hub, { bootstrapToken: true })
  const controllers = await startHub({ client: hub, clock, ...trusting })
  afterwards(t, () => controllers.close())
  const cluster = await startApiServer({ host: false, clock })
  afterwards(t, () => cluster.close())
  const spoke = cluster.client()
  await Promise.all(spokeCrds().map((crd) => spoke.create(CustomResourceDefinition, crd)))
  const kubeconfig = await bootstrapKubeconfig({ server: server.url, ca: server.certificateAuthority, token })
  const until = (what: string, holds: () => Promise<boolean>) =>
    eventually(what, holds, { meanwhile: () => clock.advance(50) })
  return { clock, hub, spoke, kubeconfig, until }
}

test('agent over TLS: joins, applies works, and continues after its certificate expired', async (t) => {
  const { clock, hub, spoke, kubeconfig, until } = await startPair(t)
  const lines: string[] = []
  const agent = await startAgent({
    spoke,
    clock,
    clusterName: 'c1',
    certificateSeconds: 3_600,
    bootstrap: { kubeconfigs: [kubeconfig] },
    log: createLogger({ level: 'debug', write: (line) => lines.push(line) }),
  })
  afterwards(t, () => agent.close())
  const give = async (name: string) => {
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name } }
    const spec = { workload: { manifests: [manifest] } }
    await hub.create(ManifestWork, { metadata: { namespace: 'c1', name }, spec })
    await until(`${name} is applied`, async () => {
      return (await spoke.find(ConfigMap, { namespace: 'default', name })) !== undefined
    })
  }
  await until('the cluster is available', async () => {
    const { status } = (await hub.find(ManagedCluster, { name: 'c1' })) ?? {}
    return isConditionTrue(status?.conditions, ManagedClusterCondition.Available)
  })
  await give('first')
  const certificate = async () => {
    const { data } = await spoke.get(Secret, { namespace: AGENT_NAMESPACE, name: HUB_KUBECONFIG_SECRET })
    return parseCertificatePem(Buffer.from(data?.['tls.crt'] ?? '', 'base64').toString('utf8'))
  }
  const first = await certificate()
  while (clock.now() < new Date(first.notAfter.getTime() + 2 * MINUTE)) {
    clock.advance(MINUTE / 2)
    await whenQuiet(10)
  }
  assert.notEqual((await certificate()).fingerprint, first.fingerprint)
  await give('second')
  await until('the lease is renewed', async () => {
    const { spec } = await hub.get(Lease, leaseOf('c1'))
    return Date.parse(spec?.renewTime ?? '') > first.notAfter.getTime()
  })
  const secrets = [/BEGIN [A-Z ]*PRIVATE KEY/, /token: /, /[a-z0-9]{6}\.[a-z0-9]{16}/]
  for (const secret of secrets) assert.ok(!lines.some((line) => secret.test(line)))
  assert.ok(
    !lines.some((line) => /"code":40[13]/.test(line)),
    lines.filter((line) => /"code":40[13]/.test(line)).join(''),
  )
})
