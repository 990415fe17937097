import assert from 'node:assert/strict'
import { AppliedManifestWork, ManifestWork } from '@orrery/api'
import { ConfigMap, Deployment } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'
import { when, whenGone } from './fleet-parts.js'
import type { OcmProgram } from './ocm.js'

const namespace = 'interop'
const labels = { app: 'web' }

const settings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name: 'settings' },
  data: { colour: 'blue' },
}

const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace, name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'example.com/web:1' }] } },
  },
}

const refOf = (name: string) => ({ namespace, name })

/**
 * Runs a work on a cluster with any hub and agent: applied in order, by update and by server-side apply, with
 * feedback; changed on the hub; corrected after a change on the cluster; and deleted.
 */
export async function runWork(
  hub: KubeClient,
  spoke: KubeClient,
  cluster: string,
  programs: readonly OcmProgram[],
): Promise<void> {
  const ref = { namespace: cluster, name: 'app' }
  const identifier = { group: 'apps', resource: 'deployments', namespace, name: 'web' }
  await hub.create(ManifestWork, {
    metadata: ref,
    spec: {
      workload: {
        manifests: [web, settings, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }],
      },
      manifestConfigs: [
        {
          resourceIdentifier: identifier,
          updateStrategy: { type: 'ServerSideApply' },
          feedbackRules: [
            { type: 'JSONPaths', jsonPaths: [{ name: 'observed', path: '.status.observedGeneration' }] },
            { type: 'WellKnownStatus' },
          ],
        },
      ],
    },
  })
  const isApplied = ({ metadata, status }: ManifestWork) =>
    isConditionTrue(status?.conditions, 'Applied') &&
    isConditionTrue(status?.conditions, 'Available') &&
    status?.conditions?.every(({ observedGeneration }) => observedGeneration === metadata.generation) === true
  await when(hub, ManifestWork, ref, isApplied, programs)
  assert.deepEqual((await spoke.get(ConfigMap, refOf('settings'))).data, { colour: 'blue' })

  const status = { observedGeneration: 1, replicas: 2, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 2 }
  await spoke.patch(Deployment, refOf('web'), { status }, { subresource: 'status' })
  const reported = await when(
    hub,
    ManifestWork,
    ref,
    ({ status: state }) => {
      const values = state?.resourceStatus?.manifests?.flatMap(({ statusFeedback }) => statusFeedback?.values ?? [])
      return values?.some(({ name, fieldValue }) => name === 'ReadyReplicas' && fieldValue.integer === 2) === true
    },
    programs,
  )
  const deployment = reported.status?.resourceStatus?.manifests?.find(
    ({ resourceMeta }) => resourceMeta.kind === 'Deployment',
  )
  assert.equal(deployment?.resourceMeta.ordinal, 0)
  const observed = deployment?.statusFeedback?.values?.find(({ name }) => name === 'observed')
  assert.equal(observed?.fieldValue.integer, 1)

  const [applied] = (await spoke.list(AppliedManifestWork)).items
  assert.equal(applied?.spec?.manifestWorkName, 'app')
  assert.equal(applied?.status?.appliedResources?.length, 3)
  const owners = (await spoke.get(ConfigMap, refOf('settings'))).metadata.ownerReferences ?? []
  assert.deepEqual(
    owners.map(({ kind, name }) => [kind, name]),
    [['AppliedManifestWork', applied?.metadata.name]],
  )

  const green = { ...settings, data: { colour: 'green' } }
  await hub.patch(ManifestWork, ref, { spec: { workload: { manifests: [web, green] } } })
  await eventually(
    'the change has reached the cluster',
    async () => (await spoke.find(ConfigMap, refOf('settings')))?.data?.colour === 'green',
    { timeoutMilliseconds: 60_000 },
  )
  await hub.delete(ManifestWork, ref)
  await whenGone(hub, ManifestWork, ref)
  assert.equal(await spoke.find(Deployment, refOf('web')), undefined)
  assert.deepEqual((await spoke.list(AppliedManifestWork)).items, [])
}
