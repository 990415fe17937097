// Clusters and agents that exist only on the hub, and add-ons for them.
import {
  ADDON_GROUP,
  ADDON_NAME_LABEL,
  AddOnDeploymentConfig,
  ClusterManagementAddOn,
  ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterSetBinding,
  ManifestWork,
  Placement,
} from '../../packages/api/dist/index.js'
import { Namespace } from '../../packages/kinds/dist/kinds/core.generated.js'
import { isConditionTrue } from '../../packages/kinds/dist/values/conditions.js'
import { createAll, nameOf } from '../placement/fleet.mjs'

const NAMESPACE = 'bench'
const ALL = { namespace: NAMESPACE, name: 'all' }
const CONFIGS = { group: ADDON_GROUP, resource: 'addondeploymentconfigs' }
const WRITERS = 64

export const addonName = (index) => `addon-${index}`

/** Creates accepted and available clusters, and a placement that selects all of them. */
export async function seed(client, clusters) {
  await client.create(Namespace, { metadata: { name: NAMESPACE } })
  const binding = { metadata: { namespace: NAMESPACE, name: 'global' }, spec: { clusterSet: 'global' } }
  await client.create(ManagedClusterSetBinding, binding)
  await createAll(clusters, (index) => createCluster(client, nameOf(index)))
  await client.create(Placement, { metadata: ALL, spec: {} })
}

async function createCluster(client, name) {
  // The lease of a cluster without an agent must not expire meanwhile.
  const spec = { hubAcceptsClient: true, leaseDurationSeconds: 36_000 }
  await client.create(ManagedCluster, { metadata: { name }, spec })
  const condition = { type: 'ManagedClusterConditionAvailable', status: 'True', reason: 'Available' }
  await writeConditions(client, ManagedCluster, { name }, [condition])
}

/** Defines an add-on that is installed on all clusters, with a configuration of its own. */
export async function define(client, name) {
  const config = { namespace: NAMESPACE, name }
  await client.create(AddOnDeploymentConfig, { metadata: config, spec: { customizedVariables: [variable('1')] } })
  const installStrategy = { type: 'Placements', placements: [ALL] }
  const spec = { installStrategy, defaultConfigs: [{ ...CONFIGS, ...config }] }
  await client.create(ClusterManagementAddOn, { metadata: { name }, spec })
}

/** Changes the configuration of an add-on. */
export async function configure(client, name, version) {
  const spec = { customizedVariables: [variable(version)] }
  await client.patch(AddOnDeploymentConfig, { namespace: NAMESPACE, name }, { spec })
}

const variable = (value) => ({ name: 'VERSION', value })

/** An add-on of one ConfigMap. Every second one is available when its works are, the others when their agents report it. */
export function addonOf(index) {
  const name = addonName(index)
  const metadata = { namespace: 'default', name }
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x'.repeat(1_024) } }
  return {
    name,
    manifests: () => [manifest],
    ...(index % 2 === 0 && { healthProber: { type: 'Work' } }),
    supportedConfigs: [{ ...CONFIGS, version: AddOnDeploymentConfig.version }],
  }
}

/** The agents of all clusters: report that works are applied, and that the add-ons are available which leave it to them. */
export async function startAgents(client, informers, addons) {
  const isReported = new Set(addons.filter(({ healthProber }) => healthProber === undefined).map(({ name }) => name))
  const pending = new Map()
  let writing = 0
  const next = async () => {
    for (const [key, task] of pending) {
      pending.delete(key)
      await task().catch((error) => console.error(error.message))
    }
  }
  const write = (key, task) => {
    pending.set(key, task)
    if (writing >= WRITERS) return
    writing++
    void next().finally(() => writing--)
  }
  const works = informers.of(ManifestWork, { labelSelector: ADDON_NAME_LABEL })
  works.subscribe(({ before, after }) => {
    if (after === undefined || before?.metadata.generation === after.metadata.generation) return
    const { namespace, name, generation, labels } = after.metadata
    write(`${namespace}/${name}`, async () => {
      const findings = ['Applied', 'Available'].map((type) => {
        return { type, status: 'True', reason: 'Reported', observedGeneration: generation }
      })
      await writeConditions(client, ManifestWork, { namespace, name }, findings)
      const addon = labels[ADDON_NAME_LABEL]
      if (isReported.has(addon)) await reportAvailable(client, { namespace, name: addon })
    })
  })
}

/** Keeps the other conditions, which a merge patch would replace. */
async function reportAvailable(client, ref) {
  for (;;) {
    const { metadata, status } = await client.get(ManagedClusterAddOn, ref)
    const known = status?.conditions ?? []
    if (isConditionTrue(known, 'Available')) return
    const condition = { type: 'Available', status: 'True', reason: 'ManagedClusterAddOnLeaseUpdated' }
    const others = known.filter(({ type }) => type !== 'Available')
    const { resourceVersion } = metadata
    try {
      await writeConditions(client, ManagedClusterAddOn, ref, [...others, condition], { resourceVersion })
      return
    } catch (error) {
      if (error.code !== 409) throw error
    }
  }
}

function writeConditions(client, kind, ref, findings, metadata = {}) {
  const common = { message: '', lastTransitionTime: '2030-01-01T00:00:00Z' }
  const conditions = findings.map((finding) => ({ ...common, ...finding }))
  return client.patch(kind, ref, { metadata, status: { conditions } }, { subresource: 'status' })
}
