import {
  type AgentAddon,
  agentSubject,
  DEPLOYMENT_CONFIG,
  defaultApprover,
  grantRole,
  installNamespaceFromConfig,
  withDeploymentConfig,
} from '@orrery/addon'
import { agentManifests } from './manifests.js'
import { ADDON, IMAGE } from './names.js'

/** The add-on as the controller on the hub manages it. */
export function helloworld({ image = IMAGE }: { readonly image?: string } = {}): AgentAddon {
  return {
    name: ADDON,
    // Nodes, images, proxies and compute resources are as in the AddOnDeploymentConfig.
    manifests: withDeploymentConfig(ADDON, (cluster, addon) =>
      agentManifests({ clusterName: cluster.metadata.name, namespace: addon.status?.namespace ?? '', image }),
    ),
    supportedConfigs: [DEPLOYMENT_CONFIG],
    agentInstallNamespace: installNamespaceFromConfig,
    registration: {
      configurations: (cluster) => [{ type: 'kubeClient', ...agentSubject(cluster.metadata.name, ADDON) }],
      approve: defaultApprover(),
      permissions: grantRole({
        name: `open-cluster-management:${ADDON}:agent`,
        rules: [
          { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
          {
            apiGroups: ['addon.open-cluster-management.io'],
            resources: ['managedclusteraddons'],
            verbs: ['get', 'list', 'watch'],
          },
        ],
      }),
    },
    healthProber: { type: 'DeploymentAvailability' },
  }
}
