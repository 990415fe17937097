import type { TestContext } from 'node:test'
import type { AddonAgent } from '@orrery/addon/agent'
import { addOnConverters, hubCrds, ManagedClusterAddOn, spokeCrds } from '@orrery/api'
import { type ApiServer, startApiServer } from '@orrery/apiserver'
import { ClusterRole, ClusterRoleBinding, Namespace, type PolicyRule, Role, RoleBinding } from '@orrery/kinds'
import { KubeClient } from '@orrery/kube'
import { silentLogger } from '@orrery/kube/log'
import { FakeClock } from '@orrery/kube/testing'
import { ensureCrds } from '@orrery/kube/write'

export const CLUSTER = 'c1'
export const ADDON = 'basic-addon'
const USER = 'agent-of-addon'
const KINDS = ['ManagedClusterAddOn', 'AddOnPlacementScore', 'ClusterClaim']

/** What the documentation of the reports says that an agent needs on the hub. */
const HUB_RULES: PolicyRule[] = [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch'] },
  { apiGroups: ['addon.open-cluster-management.io'], resources: ['managedclusteraddons'], verbs: ['get'] },
  { apiGroups: ['addon.open-cluster-management.io'], resources: ['managedclusteraddons/status'], verbs: ['patch'] },
  {
    apiGroups: ['cluster.open-cluster-management.io'],
    resources: ['addonplacementscores'],
    verbs: ['get', 'create', 'patch'],
  },
  { apiGroups: ['cluster.open-cluster-management.io'], resources: ['addonplacementscores/status'], verbs: ['patch'] },
]
/** … and on the managed cluster. */
const MANAGED_RULES: PolicyRule[] = [
  {
    apiGroups: ['cluster.open-cluster-management.io'],
    resources: ['clusterclaims'],
    verbs: ['get', 'list', 'create', 'patch'],
  },
]

/** An agent of an add-on with only the permissions that it needs, on one server that is both hub and managed cluster. */
export interface ReportingAgent {
  readonly agent: AddonAgent
  readonly clock: FakeClock
  /** The administrator. */
  readonly admin: KubeClient
  readonly server: ApiServer
  /** The requests of the agent since the last call: the method and the path. */
  requests(): string[]
  /** Runs before each request of the agent. */
  before: (method: string, path: string) => Promise<void>
}

export interface ReportingOptions {
  /** Serve add-ons only in v1alpha1, as hubs before Open Cluster Management 1.3. */
  readonly onlyV1Alpha1?: boolean
  /** What the agent may do on the hub. Default what the documentation of all reports says that it needs. */
  readonly hubRules?: readonly PolicyRule[]
  /** What the agent may do on the managed cluster. */
  readonly managedRules?: readonly PolicyRule[]
}

export async function startReportingAgent(
  t: Pick<TestContext, 'after'>,
  { onlyV1Alpha1 = false, hubRules = HUB_RULES, managedRules = MANAGED_RULES }: ReportingOptions = {},
): Promise<ReportingAgent> {
  const clock = new FakeClock()
  const server = await startApiServer({
    host: false,
    clock,
    namespaceDeletionGraceSeconds: 0,
    converters: addOnConverters,
  })
  t.after(() => server.close())
  const admin = server.client()
  const crds = [...hubCrds(), ...spokeCrds()].filter(({ spec }) => KINDS.includes(spec.names.kind))
  const served = crds.map((crd) => (onlyV1Alpha1 ? withoutV1Beta1(crd) : crd))
  await ensureCrds(admin, served, { fieldManager: 'test' })
  await admin.create(Namespace, { metadata: { name: CLUSTER } })
  const metadata = { namespace: CLUSTER, name: ADDON }
  const apiVersion = `addon.open-cluster-management.io/${onlyV1Alpha1 ? 'v1alpha1' : 'v1beta1'}`
  const kind = { ...ManagedClusterAddOn, version: onlyV1Alpha1 ? 'v1alpha1' : 'v1beta1' }
  await admin.create(kind, { apiVersion, kind: 'ManagedClusterAddOn', metadata, spec: {} } as never)
  await grant(admin, hubRules, managedRules)
  const identity = { username: USER, uid: '', groups: ['system:authenticated'], extra: {} }
  const { transport } = server.client({ identity })
  let sent: string[] = []
  const reporting: Pick<ReportingAgent, 'before'> = { before: () => Promise.resolve() }
  const client = new KubeClient({
    async request(request) {
      const { method = 'GET', path } = request
      await reporting.before(method, path)
      sent.push(`${method} ${path.replace(/\?.*/, '').replace(/^\/apis?\//, '')}`)
      return transport.request(request)
    },
  })
  const agent = {
    addonName: ADDON,
    clusterName: CLUSTER,
    addonNamespace: 'default',
    hub: client,
    managed: client,
    clock,
    log: silentLogger,
    signal: new AbortController().signal,
  }
  return Object.assign(reporting, {
    agent,
    clock,
    admin,
    server,
    requests() {
      const all = sent
      sent = []
      return all
    },
  })
}

async function grant(
  admin: KubeClient,
  hubRules: readonly PolicyRule[],
  managedRules: readonly PolicyRule[],
): Promise<void> {
  const subjects = [{ kind: 'User', name: USER, apiGroup: 'rbac.authorization.k8s.io' }]
  const metadata = { namespace: CLUSTER, name: 'agent' }
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', name: 'agent' }
  await admin.create(Role, { metadata, rules: [...hubRules] })
  await admin.create(RoleBinding, { metadata, subjects, roleRef: { ...roleRef, kind: 'Role' } })
  await admin.create(ClusterRole, { metadata: { name: 'agent' }, rules: [...managedRules] })
  await admin.create(ClusterRoleBinding, {
    metadata: { name: 'agent' },
    subjects,
    roleRef: { ...roleRef, kind: 'ClusterRole' },
  })
}

type Crd = ReturnType<typeof hubCrds>[number]

function withoutV1Beta1(crd: Crd): Crd {
  const { versions, group } = crd.spec
  if (group !== 'addon.open-cluster-management.io' || versions.length === 1) return crd
  const { conversion: _, ...spec } = crd.spec
  return { ...crd, spec: { ...spec, versions: versions.filter(({ name }) => name === 'v1alpha1') } }
}
