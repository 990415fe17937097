import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { AddonManager, type AgentAddon, agentSubject, defaultApprover, defaultSigner } from '@orrery/addon'
import {
  ADDON_NAME_LABEL,
  ADDON_NAMESPACE,
  AddOnCondition,
  ClusterManagementAddOn,
  ManagedClusterAddOn,
} from '@orrery/api'
import { CertificateSigningRequest, Secret } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { secretText } from '@orrery/kube/credentials'
import { createAuthority } from '@orrery/kube/pki'
import { eventually } from '@orrery/kube/testing'
import { afterwards } from '../support/server.js'
import { when, whenGone } from './fleet-parts.js'
import { startOcmHub, startOrreryHub } from './hubs.js'
import { type JoinedCluster, joinWithOcm, joinWithOrrery } from './joins.js'

const CLUSTER = 'c1'
const ADDON = { namespace: CLUSTER, name: 'rotating' }
const SECRET = { namespace: ADDON_NAMESPACE, name: 'rotating-example.com-rotating-client-cert' }
const DAY = 86_400_000
/**
 * Certificates start five minutes before they are issued. OCM's agent renews them when a fifth to a quarter of that lifetime is left, ours at a
 * fifth: 4 to 24 seconds after they are issued.
 */
const DURATION_MILLISECONDS = 105_000
const PATIENCE = { timeoutMilliseconds: 90_000, intervalMilliseconds: 500 }

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const now = Date.now()
const authority = createAuthority('rotating-ca', privateKey, new Date(now - DAY), new Date(now + DAY))

/** An add-on whose agent only has a certificate of the add-on's own signer. */
const rotating: AgentAddon = {
  name: ADDON.name,
  manifests: () => [],
  registration: {
    configurations: (cluster) => [
      { type: 'customSigner', signerName: 'example.com/rotating', ...agentSubject(cluster.metadata.name, ADDON.name) },
    ],
    approve: defaultApprover(),
    sign: defaultSigner(
      privateKey.export({ type: 'pkcs1', format: 'pem' }) as string,
      authority.certificatePem,
      DURATION_MILLISECONDS,
    ),
  },
  healthProber: { type: 'None' },
}

async function install(t: TestContext, client: KubeClient): Promise<void> {
  const manager = new AddonManager({ client })
  manager.addAgent(rotating)
  await manager.start()
  afterwards(t, () => manager.close())
  await client.create(ClusterManagementAddOn, { metadata: { name: ADDON.name }, spec: {} })
  await client.create(ManagedClusterAddOn, { metadata: ADDON, spec: {} })
}

async function certificateOn({ client, programs }: JoinedCluster): Promise<X509Certificate> {
  const secret = await when(client, Secret, SECRET, ({ data }) => data?.['tls.crt'] !== undefined, programs)
  const certificate = new X509Certificate(secretText(secret, 'tls.crt') ?? '')
  assert.ok(certificate.verify(new X509Certificate(authority.certificatePem).publicKey))
  assert.ok(certificate.checkPrivateKey(createPrivateKey(secretText(secret, 'tls.key') ?? '')))
  return certificate
}

/** Resolves when the agent has another certificate. */
async function whenRotated(managed: JoinedCluster, before: X509Certificate): Promise<X509Certificate> {
  let touches = 0
  return eventually(
    'the certificate is renewed',
    async () => {
      const current = await certificateOn(managed)
      if (current.serialNumber !== before.serialNumber) return current
      // OCM's agent looks at certificates every five minutes, and whenever their Secret changes.
      const annotations = { 'test.orrery.dev/touches': String(touches++) }
      await managed.client.patch(Secret, SECRET, { metadata: { annotations } })
      return undefined
    },
    PATIENCE,
  )
}

const HUBS = { Orrery: startOrreryHub, OCM: startOcmHub }
const AGENTS = { Orrery: joinWithOrrery, OCM: joinWithOcm }
const COMBINATIONS: readonly [keyof typeof HUBS, keyof typeof AGENTS][] = [
  ['Orrery', 'OCM'],
  ['OCM', 'OCM'],
  ['OCM', 'Orrery'],
]

for (const [hubOf, agentOf] of COMBINATIONS) {
  test(`interop: an agent of ${agentOf} rotates a certificate of an add-on's signer, with a hub of ${hubOf}`, async (t) => {
    const hub = await HUBS[hubOf](t)
    const managed = await AGENTS[agentOf](t, hub, CLUSTER)
    await install(t, hub.client)
    const first = await certificateOn(managed)
    assert.equal(
      first.subject.split('\n').find((line) => line.startsWith('CN=')),
      `CN=${agentSubject(CLUSTER, ADDON.name).user}`,
    )
    const second = await whenRotated(managed, first)
    assert.ok(Date.parse(second.validTo) > Date.parse(first.validTo))
    assert.notDeepEqual(second.publicKey, first.publicKey)
    const programs = [...hub.programs, ...managed.programs]
    await when(
      hub.client,
      ManagedClusterAddOn,
      ADDON,
      ({ status }) => {
        const {
          status: value,
          reason,
          message,
        } = findCondition(status?.conditions, AddOnCondition.CertificateRotated) ?? {}
        const until = new Date(second.validTo).toISOString().slice(0, 19).replace('T', ' ')
        return value === 'True' && reason === 'ClientCertificateUpdated' && message?.includes(` to ${until} `) === true
      },
      programs,
    )
    const ofAddon = { labelSelector: `${ADDON_NAME_LABEL}=${ADDON.name}` }
    const { items } = await hub.client.list(CertificateSigningRequest, ofAddon)
    assert.ok(items.length >= 2)
    for (const { status } of items) assert.equal(status?.conditions?.map(({ type }) => type).join(), 'Approved')
    await hub.client.delete(ManagedClusterAddOn, ADDON)
    await whenGone(managed.client, Secret, SECRET)
  })
}
