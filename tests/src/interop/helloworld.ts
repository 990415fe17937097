import assert from 'node:assert/strict'
import {
  ADDON_NAME_LABEL,
  ADDON_NAMESPACE,
  AddOnCondition,
  AppliedManifestWork,
  ClusterManagementAddOnV1Alpha1,
  type KubeClientDriver,
  ManagedClusterAddOnV1Alpha1,
  ManifestWork,
} from '@orrery/api'
import {
  CertificateSigningRequest,
  ClusterRoleBinding,
  ConfigMap,
  Deployment,
  Lease,
  Pod,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
} from '@orrery/kinds'
import { findCondition, isConditionTrue } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { secretText } from '@orrery/kube/credentials'
import { eventually } from '@orrery/kube/testing'
import { when, whenGone } from './fleet-parts.js'
import type { OcmProgram } from './ocm.js'

const ADDON = 'helloworld'
const GREETING = 'greeting'
/** The conditions for the credentials of the agent. */
const CREDENTIAL_CONDITIONS = {
  csr: [AddOnCondition.CertificateRotated],
  token: [AddOnCondition.TokenInfrastructureReady, AddOnCondition.TokenRefreshed],
}
const TIMEOUT = { timeoutMilliseconds: 120_000 }

/** A hub with the add-on, and a cluster of its Placement. */
export interface HelloworldFleet {
  readonly hub: KubeClient
  readonly managed: KubeClient
  readonly cluster: string
  /** Whether its copies of ConfigMaps and its Lease are deleted with it. */
  readonly cleansUp: boolean
  /** How its agent authenticates to the hub. */
  readonly driver: KubeClientDriver
  /** Programs whose logs explain a failure. */
  readonly programs: readonly OcmProgram[]
}

/**
 * The life of the add-on helloworld with any hub, agent and implementation: installed by its Placement, registered, deployed and
 * available, copying ConfigMaps, and removed. In v1alpha1, which all of them serve.
 */
export async function runHelloworld(fleet: HelloworldFleet): Promise<void> {
  await isInstalled(fleet)
  if (fleet.driver === 'csr') await hasCertificate(fleet)
  else await hasToken(fleet)
  await renewsLease(fleet)
  await copiesConfigMaps(fleet)
  await isRemoved(fleet)
}

async function isInstalled({ hub, managed, cluster, driver, programs }: HelloworldFleet): Promise<void> {
  const ref = { namespace: cluster, name: ADDON }
  const { Available, ManifestApplied, RegistrationApplied, Configured, Progressing } = AddOnCondition
  const expected = [Available, ManifestApplied, RegistrationApplied, Configured, ...CREDENTIAL_CONDITIONS[driver]]
  const { metadata, status } = await when(
    hub,
    ManagedClusterAddOnV1Alpha1,
    ref,
    ({ status }) =>
      expected.every((type) => isConditionTrue(status?.conditions, type)) &&
      findCondition(status?.conditions, Progressing)?.reason === 'Completed',
    programs,
  )
  const conditionOf = (type: string) => {
    const { status: value, reason, message } = findCondition(status?.conditions, type) ?? {}
    return [value, reason, message]
  }
  assert.deepEqual(conditionOf(Available), ['True', 'ProbeAvailable', 'helloworld add-on is available.'])
  assert.deepEqual(conditionOf(RegistrationApplied).slice(0, 2), ['True', 'SetPermissionApplied'])
  assert.deepEqual(conditionOf(ManifestApplied).slice(0, 2), ['True', 'AddonManifestApplied'])
  assert.equal(status?.namespace, ADDON_NAMESPACE)
  assert.deepEqual(
    metadata.ownerReferences?.map(({ kind, name }) => [kind, name]),
    [['ClusterManagementAddOn', ADDON]],
  )
  const work = await hub.get(ManifestWork, { namespace: cluster, name: `addon-${ADDON}-deploy-0` })
  assert.ok(isConditionTrue(work.status?.conditions, 'Applied'))
  const { status: agent } = await managed.get(Deployment, { namespace: ADDON_NAMESPACE, name: 'helloworld-agent' })
  assert.equal(agent?.readyReplicas, 1)
}

/** The agent has a certificate that the controller of the add-on approved, in a Secret. */
async function hasCertificate({ hub, managed, cluster }: HelloworldFleet): Promise<void> {
  const { items } = await hub.list(CertificateSigningRequest, { labelSelector: `${ADDON_NAME_LABEL}=${ADDON}` })
  // OCM's agent may request twice: it starts again when it has written its driver to the status.
  assert.ok(items.length > 0)
  for (const { status } of items) {
    const decisions = status?.conditions?.map(({ type, reason }) => [type, reason])
    assert.deepEqual(decisions, [['Approved', 'AutoApprovedByHubCSRApprovingController']])
  }
  const { data = {} } = await managed.get(Secret, { namespace: ADDON_NAMESPACE, name: `${ADDON}-hub-kubeconfig` })
  assert.deepEqual(Object.keys(data).sort(), ['cluster-name', 'kubeconfig', 'tls.crt', 'tls.key'])
  assert.equal(Buffer.from(data['cluster-name'] ?? '', 'base64').toString(), cluster)
}

/** The agent has a token of the service account that the hub created for it, in a Secret. */
async function hasToken({ hub, managed, cluster }: HelloworldFleet): Promise<void> {
  const account = { namespace: cluster, name: `${ADDON}-agent` }
  const { metadata } = await hub.get(ServiceAccount, account)
  const secret = await managed.get(Secret, { namespace: ADDON_NAMESPACE, name: `${ADDON}-hub-kubeconfig` })
  assert.deepEqual(Object.keys(secret.data ?? {}).sort(), ['cluster-name', 'kubeconfig', 'token'])
  const [, claims = ''] = (secretText(secret, 'token') ?? '').split('.')
  const { sub, 'kubernetes.io': bound } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  assert.equal(sub, `system:serviceaccount:${account.namespace}:${account.name}`)
  assert.equal(bound.serviceaccount.uid, metadata.uid)
  const { status } = await hub.get(ManagedClusterAddOnV1Alpha1, { namespace: cluster, name: ADDON })
  assert.equal(status?.kubeClientDriver, 'token')
  const { items } = await hub.list(CertificateSigningRequest, { labelSelector: `${ADDON_NAME_LABEL}=${ADDON}` })
  assert.deepEqual(items, [])
}

async function renewsLease({ managed }: HelloworldFleet): Promise<void> {
  await eventually(
    'the agent renews its Lease',
    async () => (await managed.find(Lease, { namespace: ADDON_NAMESPACE, name: ADDON }))?.spec?.renewTime !== undefined,
    TIMEOUT,
  )
}

async function copiesConfigMaps({ hub, managed, cluster }: HelloworldFleet): Promise<void> {
  const greeting = { namespace: cluster, name: GREETING }
  const copy = { namespace: ADDON_NAMESPACE, name: GREETING }
  await hub.create(ConfigMap, { metadata: greeting, data: { hello: 'world' } })
  await eventually('it is copied', () => managed.find(ConfigMap, copy), TIMEOUT)
  const { data, metadata } = await managed.get(ConfigMap, copy)
  assert.deepEqual([data, metadata.labels], [{ hello: 'world' }, { 'synced-from-hub': '' }])
  await hub.patch(ConfigMap, greeting, { data: { hello: 'again' } })
  await eventually(
    'the change is copied',
    async () => (await managed.get(ConfigMap, copy)).data?.hello === 'again',
    TIMEOUT,
  )
}

async function isRemoved({ hub, managed, cluster, cleansUp }: HelloworldFleet): Promise<void> {
  await hub.delete(ClusterManagementAddOnV1Alpha1, { name: ADDON })
  await whenGone(hub, ManagedClusterAddOnV1Alpha1, { namespace: cluster, name: ADDON })
  const left = async () => {
    const local = { namespace: ADDON_NAMESPACE }
    const ofCluster = { namespace: cluster }
    return [
      ...(await managed.list(Deployment, local)).items,
      ...(await managed.list(Pod, local)).items,
      ...(await managed.list(Secret, local)).items,
      ...(await managed.list(ServiceAccount, local)).items,
      ...(await managed.list(ClusterRoleBinding)).items,
      ...(await managed.list(AppliedManifestWork)).items,
      ...(cleansUp ? (await managed.list(Lease, local)).items : []),
      ...(await hub.list(ManifestWork, ofCluster)).items,
      ...(await hub.list(ServiceAccount, ofCluster)).items,
      ...(await hub.list(Role, ofCluster)).items,
      ...(await hub.list(RoleBinding, ofCluster)).items,
    ]
      .filter(({ metadata }) => metadata.name.includes(ADDON))
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  }
  let seen: string[] = []
  await eventually(
    'nothing is left',
    async () => {
      seen = await left()
      return seen.length === 0
    },
    { ...TIMEOUT, seen: () => seen },
  )
  if (cleansUp) await whenGone(managed, ConfigMap, { namespace: ADDON_NAMESPACE, name: GREETING })
}
