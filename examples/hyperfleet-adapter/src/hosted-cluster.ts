import type { NewManifestWork } from '@orrery/api'

/** The part of the status of a HostedCluster that the adapter reads. */
export interface HostedClusterStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  readonly controlPlaneEndpoint?: string
}

export interface HostedClusterOptions {
  /** The ID of the cluster in HyperFleet. */
  readonly clusterId: string
  readonly name: string
  readonly namespace: string
  readonly release: string
}

/** A work that creates a HostedCluster on a management cluster and reports its status. */
export function hostedClusterWork(consumer: string, options: HostedClusterOptions): NewManifestWork {
  const { clusterId, name, namespace, release } = options
  return {
    metadata: {
      name: `hostedcluster-${clusterId}`,
      namespace: consumer,
      labels: { 'hyperfleet.io/cluster-id': clusterId, 'hyperfleet.io/adapter': 'controlplane' },
    },
    spec: {
      workload: {
        manifests: [
          {
            apiVersion: 'hypershift.openshift.io/v1beta1',
            kind: 'HostedCluster',
            metadata: { name, namespace },
            spec: { platform: { type: 'GCP' }, release: { image: release } },
          },
        ],
      },
      manifestConfigs: [
        {
          resourceIdentifier: { group: 'hypershift.openshift.io', resource: 'hostedclusters', namespace, name },
          updateStrategy: { type: 'ServerSideApply' },
          // Without feedback rules, the work does not report the status of the resource.
          feedbackRules: [{ type: 'JSONPaths', jsonPaths: [{ name: 'status', path: '.status' }] }],
        },
      ],
      deleteOption: { propagationPolicy: 'Foreground' },
    },
  }
}
