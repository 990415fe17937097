import { after, before, test } from 'node:test'
import {
  ADDON_GROUP,
  AddOnDeploymentConfig,
  AddOnDeploymentConfigV1Alpha1,
  AddOnTemplate,
  type AnyKind,
  ClusterManagementAddOn,
  ClusterManagementAddOnV1Alpha1,
  ManagedClusterAddOn,
  ManagedClusterAddOnV1Alpha1,
} from '@orrery/api'
import { type KindServer, startKindServer } from './kind-server.js'
import { assertRefused } from './refusal.js'

let server: KindServer
before(async () => {
  server = await startKindServer()
})
after(() => server.close())

const CONFIG = { group: ADDON_GROUP, resource: 'addondeploymentconfigs' }
const placed = (placement: object) => ({ spec: { installStrategy: { placements: [placement] } } })
const configured = (fields: object) => ({ spec: fields })
const registered = (...registrations: object[]) => ({ spec: {}, status: { registrations } })
const templated = (fields: object) => ({ spec: { addonName: 'a', agentSpec: {}, ...fields } })

/** Invalid fields by kind, with the message. */
const REFUSED: readonly [AnyKind, object, string, string][] = [
  [ClusterManagementAddOn, {}, 'spec', 'Required value'],
  [
    ClusterManagementAddOn,
    { spec: { defaultConfigs: [{ group: '', resource: 'configmaps' }] } },
    'spec.defaultConfigs[0].name',
    'Required value',
  ],
  [
    ClusterManagementAddOn,
    {
      spec: {
        defaultConfigs: [
          { ...CONFIG, name: 'a' },
          { ...CONFIG, name: 'b' },
        ],
      },
    },
    'spec.defaultConfigs[1]',
    'Duplicate value: {"group":"addon.open-cluster-management.io","resource":"addondeploymentconfigs"}',
  ],
  [
    ClusterManagementAddOn,
    { spec: { installStrategy: { type: 'Automatic' } } },
    'spec.installStrategy.type',
    'Unsupported value: "Automatic": supported values: "Manual", "Placements"',
  ],
  [
    ClusterManagementAddOn,
    placed({ name: 'p', namespace: '' }),
    'spec.installStrategy.placements[0].namespace',
    'Invalid value: "": ',
  ],
  [
    ClusterManagementAddOn,
    placed({
      name: 'p',
      namespace: 'n',
      rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 'x' } },
    }),
    'spec.installStrategy.placements[0].rolloutStrategy.progressive.maxConcurrency',
    'Invalid value: "x": ',
  ],
  [
    ClusterManagementAddOn,
    { spec: {}, status: { installProgressions: [{ name: 'p' }] } },
    'status.installProgressions[0].namespace',
    'Required value',
  ],
  [
    ClusterManagementAddOnV1Alpha1,
    { spec: { supportedConfigs: [{ ...CONFIG, defaultConfig: { namespace: 'n' } }] } },
    'spec.supportedConfigs[0].defaultConfig.name',
    'Required value',
  ],
  [
    ClusterManagementAddOnV1Alpha1,
    { spec: { supportedConfigs: [{ resource: '' }] } },
    'spec.supportedConfigs[0].resource',
    'Invalid value: "": ',
  ],
  [
    ManagedClusterAddOnV1Alpha1,
    { spec: { installNamespace: 'Not_a_namespace' } },
    'spec.installNamespace',
    'Invalid value: "Not_a_namespace": ',
  ],
  [ManagedClusterAddOnV1Alpha1, registered({}), 'status.registrations[0].signerName', 'Required value'],
  [
    ManagedClusterAddOnV1Alpha1,
    { spec: {}, status: { kubeClientDriver: 'password' } },
    'status.kubeClientDriver',
    'Unsupported value: "password": supported values: "csr", "token"',
  ],
  [
    ManagedClusterAddOnV1Alpha1,
    { spec: {}, status: { configReferences: [CONFIG] } },
    'status.configReferences[0].name',
    'Required value',
  ],
  [ManagedClusterAddOn, { spec: { configs: [{ name: 'a' }] } }, 'spec.configs[0].resource', 'Required value'],
  [
    ManagedClusterAddOn,
    registered({ type: 'KubeClient' }),
    'status.registrations[0].type',
    'Unsupported value: "KubeClient": supported values: "kubeClient", "customSigner"',
  ],
  [
    ManagedClusterAddOn,
    registered({ type: 'customSigner', customSigner: {} }),
    'status.registrations[0].customSigner.signerName',
    'Required value',
  ],
  [
    ManagedClusterAddOn,
    { spec: {}, status: { healthCheck: { mode: 'Heartbeat' } } },
    'status.healthCheck.mode',
    'Unsupported value: "Heartbeat": ',
  ],
  [AddOnDeploymentConfig, {}, 'spec', 'Required value'],
  [
    AddOnDeploymentConfig,
    configured({ customizedVariables: [{ name: 'not-a-variable' }] }),
    'spec.customizedVariables[0].name',
    'Invalid value: "not-a-variable": ',
  ],
  [
    AddOnDeploymentConfigV1Alpha1,
    configured({ customizedVariables: [{ name: 'A' }, { name: 'A' }] }),
    'spec.customizedVariables[1]',
    'Duplicate value: {"name":"A"}',
  ],
  [AddOnDeploymentConfig, configured({ registries: [{ source: 'a' }] }), 'spec.registries[0].mirror', 'Required value'],
  [
    AddOnDeploymentConfig,
    configured({ agentInstallNamespace: '-' }),
    'spec.agentInstallNamespace',
    'Invalid value: "-": ',
  ],
  [
    AddOnDeploymentConfig,
    configured({ resourceRequirements: [{ containerID: 'services:a:b', resources: {} }] }),
    'spec.resourceRequirements[0].containerID',
    'Invalid value: "services:a:b": ',
  ],
  [
    AddOnDeploymentConfig,
    configured({ resourceRequirements: [{ containerID: '*:*:*', resources: { limits: { memory: 'much' } } }] }),
    'spec.resourceRequirements[0].resources.limits.memory',
    'Invalid value: "much": ',
  ],
  [
    AddOnDeploymentConfig,
    configured({ proxyConfig: { caBundle: 'no base64' } }),
    'spec.proxyConfig.caBundle',
    'Invalid value: "no base64": ',
  ],
  [AddOnTemplate, { spec: { addonName: 'a' } }, 'spec.agentSpec', 'Required value'],
  [
    AddOnTemplate,
    templated({ agentSpec: { workload: { manifests: [{ kind: 'ConfigMap', metadata: { name: 'm' } }] } } }),
    'spec.agentSpec.workload.manifests[0].apiVersion',
    'Required value',
  ],
  [
    AddOnTemplate,
    templated({ registration: [{ type: 'kubeClient' }] }),
    'spec.registration[0].type',
    'Unsupported value: "kubeClient": supported values: "KubeClient", "CustomSigner"',
  ],
  [
    AddOnTemplate,
    templated({ registration: [{ type: 'CustomSigner', customSigner: { signerName: 'example.com/signer' } }] }),
    'spec.registration[0].customSigner.signingCA',
    'Required value',
  ],
]

for (const [kind, fields, field, message] of REFUSED) {
  test(`${kind.version} ${kind.kind}: ${field}: ${message.trim()}`, () =>
    assertRefused(server.client, kind, fields, field, message))
}
