import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import {
  AddOnCondition,
  AppliedManifestWork,
  HOSTING_CLUSTER_ANNOTATION,
  ManagedClusterAddOnV1Alpha1,
  ManifestWork,
} from '@orrery/api'
import { ConfigMap, Deployment, Job, Lease, Namespace, Secret } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { type KubeClient, writeStatus } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'
import { upstreamHostedHelloworld } from './add-ons.js'
import { when, whenGone } from './fleet-parts.js'
import { startOcmHub, startOrreryHub } from './hubs.js'
import { type JoinedCluster, joinWithOcm, joinWithOrrery } from './joins.js'
import type { OcmProgram } from './ocm.js'

const HOSTING = 'hosting'
const MANAGED = 'managed'
/** The namespace of the add-on, on both clusters. It is a manifest of the add-on. */
const NAMESPACE = 'hosted-hello'
const ADDON = { namespace: MANAGED, name: 'helloworldhosted' }
const AGENT = { namespace: NAMESPACE, name: 'helloworldhosted-agent' }
const CREDENTIALS = { namespace: NAMESPACE, name: 'helloworldhosted-hub-kubeconfig' }
const LEASE = { namespace: NAMESPACE, name: ADDON.name }
const COPY = { namespace: NAMESPACE, name: 'greeting' }
const TIMEOUT = { timeoutMilliseconds: 90_000 }

/** Gives the agent on the hosting cluster access to the managed cluster, as its administrator does. */
async function giveAccess(hosting: JoinedCluster, managed: JoinedCluster): Promise<void> {
  await hosting.client.create(Namespace, { metadata: { name: NAMESPACE } })
  const kubeconfig = (await readFile(managed.kubeconfig)).toString('base64')
  const metadata = { namespace: NAMESPACE, name: 'helloworldhosted-managed-kubeconfig' }
  await hosting.client.create(Secret, { metadata, data: { kubeconfig } })
}

async function isInstalled(
  hub: KubeClient,
  hosting: KubeClient,
  managed: KubeClient,
  programs: readonly OcmProgram[],
): Promise<void> {
  const annotations = { [HOSTING_CLUSTER_ANNOTATION]: HOSTING }
  const metadata = { ...ADDON, annotations }
  await hub.create(ManagedClusterAddOnV1Alpha1, { metadata, spec: { installNamespace: NAMESPACE } })
  const { Available, ManifestApplied, HostingManifestApplied, HostingClusterValidity } = AddOnCondition
  const { RegistrationApplied, CertificateRotated } = AddOnCondition
  const expected = [
    Available,
    ManifestApplied,
    HostingManifestApplied,
    HostingClusterValidity,
    RegistrationApplied,
    CertificateRotated,
  ]
  await when(
    hub,
    ManagedClusterAddOnV1Alpha1,
    ADDON,
    ({ status }) => expected.every((type) => isConditionTrue(status?.conditions, type)),
    programs,
  )
  assert.equal((await hosting.get(Deployment, AGENT)).status?.readyReplicas, 1)
  await hosting.get(Secret, CREDENTIALS)
  await hosting.get(Lease, LEASE)
  assert.deepEqual((await managed.list(Deployment)).items, [])
  assert.equal(await managed.find(Secret, CREDENTIALS), undefined)
  assert.equal(await managed.find(Lease, LEASE), undefined)
}

/** The agent on the hosting cluster copies from the hub to the managed cluster. */
async function copiesConfigMaps(hub: KubeClient, managed: KubeClient): Promise<void> {
  await hub.create(ConfigMap, { metadata: { namespace: MANAGED, name: COPY.name }, data: { hello: 'world' } })
  const copy = await eventually('it is copied', () => managed.find(ConfigMap, COPY), TIMEOUT)
  assert.deepEqual(copy.data, { hello: 'world' })
}

/**
 * Completes the hook of the add-on in its place. It listens on the port of the agent, which is still running, and pods of the embedded node
 * share the network of the machine.
 */
async function completeHook(hosting: KubeClient): Promise<void> {
  const ref = { namespace: NAMESPACE, name: 'helloworldhosted-cleanup-configmap' }
  const job = await eventually('the hook is on the hosting cluster', () => hosting.find(Job, ref), TIMEOUT)
  const time = new Date().toISOString()
  const condition = { status: 'True' as const, reason: 'CompletionsReached', message: '', lastTransitionTime: time }
  await writeStatus(hosting, Job, job, () => ({
    startTime: time,
    completionTime: time,
    succeeded: 1,
    conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, ...condition })),
  }))
}

/** It is deleted from both clusters after its hook has completed on the hosting cluster. */
async function isRemoved(hub: KubeClient, hosting: KubeClient, managed: KubeClient): Promise<void> {
  await hub.delete(ManagedClusterAddOnV1Alpha1, ADDON)
  await completeHook(hosting)
  await whenGone(hub, ManagedClusterAddOnV1Alpha1, ADDON)
  for (const cluster of [hosting, managed]) await whenGone(cluster, Namespace, { name: NAMESPACE })
  await eventually(
    'no work is left',
    async () => {
      const works = await hub.list(ManifestWork)
      const applied = [await hosting.list(AppliedManifestWork), await managed.list(AppliedManifestWork)]
      return [works, ...applied].every(({ items }) => items.length === 0)
    },
    TIMEOUT,
  )
}

const HUBS = { Orrery: startOrreryHub, OCM: startOcmHub }
const AGENTS = { Orrery: joinWithOrrery, OCM: joinWithOcm }
const COMBINATIONS: readonly [keyof typeof HUBS, keyof typeof AGENTS][] = [
  ['Orrery', 'Orrery'],
  ['Orrery', 'OCM'],
  ['OCM', 'Orrery'],
]

for (const [hubOf, agentOf] of COMBINATIONS) {
  test(`interop: the upstream helloworld in hosted mode with a hub of ${hubOf} and agents of ${agentOf}`, async (t) => {
    const addOn = await upstreamHostedHelloworld()
    const hub = await HUBS[hubOf](t, addOn.programs)
    const hosting = await AGENTS[agentOf](t, hub, HOSTING, addOn.programs)
    const managed = await AGENTS[agentOf](t, hub, MANAGED, {}, { hosting })
    await giveAccess(hosting, managed)
    const programs = [...hub.programs, ...(await addOn.install(t, hub)), ...hosting.programs, ...managed.programs]
    await isInstalled(hub.client, hosting.client, managed.client, programs)
    await copiesConfigMaps(hub.client, managed.client)
    await isRemoved(hub.client, hosting.client, managed.client)
  })
}
