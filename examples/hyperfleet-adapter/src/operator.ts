import { type DefinedKind, defineKind, t } from '@orrery/api/schema'
import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { type ControllerSpec, each, type Informers, writeStatus } from '@orrery/kube'

const definition = defineKind({
  group: 'hypershift.openshift.io',
  version: 'v1beta1',
  kind: 'HostedCluster',
  plural: 'hostedclusters',
  scope: 'Namespaced',
  description: 'HostedCluster is an OpenShift cluster whose control plane runs on a management cluster.',
  statusSubresource: true,
  fields: {
    spec: t.optional(t.raw()),
    status: t.optional(
      t.object({ conditions: t.optional(t.conditions()), controlPlaneEndpoint: t.optional(t.string()) }),
    ),
  },
})

export interface HostedCluster extends ObjectOf<typeof definition> {}
export interface NewHostedCluster extends DraftOf<typeof definition> {}
export const HostedCluster: DefinedKind<HostedCluster, NewHostedCluster> = definition

/** Reports every HostedCluster as available, where HyperShift would start its control plane. */
export function hostedClusters(informers: Informers): ControllerSpec {
  const clusters = informers.of(HostedCluster)
  return {
    name: 'hosted-clusters',
    wakes: [each(clusters)],
    async reconcile(ref, { client }) {
      const cluster = clusters.get(ref)
      if (cluster === undefined) return
      const { name, namespace, creationTimestamp } = cluster.metadata
      const available = {
        type: 'Available',
        status: 'True',
        reason: 'AsExpected',
        message: 'The hosted control plane is available',
        lastTransitionTime: creationTimestamp,
      } as const
      await writeStatus(client, HostedCluster, cluster, () => ({
        conditions: [available],
        controlPlaneEndpoint: `api.${name}.${namespace}.example.com`,
      }))
    },
  }
}
