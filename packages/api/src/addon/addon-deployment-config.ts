import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { ADDON_NAMESPACE } from '../cluster/registration.js'
import { type DefinedKind, defineKind, type New, type Read, t } from '../schema/index.js'
import { ADDON_GROUP } from './names.js'
import { resourceRequirements } from './resource-requirements.js'

const variable = t.object(
  {
    name: t.string({
      description: 'Name is the name of the variable.',
      maxLength: 255,
      pattern: '^[a-zA-Z_][_a-zA-Z0-9]*$',
    }),
    value: t.optional(
      t.string({ description: 'Value is the value of the variable. Defaults to empty.', maxLength: 1024 }),
    ),
  },
  { description: 'CustomizedVariable is a value for the templates of the add-on.' },
)

const toleration = t.object(
  {
    key: t.optional(t.string({ description: 'Key is the key of the tolerated taint. If empty, all keys match.' })),
    operator: t.optional(t.string({ description: 'Operator is Equal or Exists. Defaults to Equal.' })),
    value: t.optional(
      t.string({ description: 'Value is the value of the tolerated taint. It is used with the operator Equal.' }),
    ),
    effect: t.optional(
      t.string({ description: 'Effect is the effect of the tolerated taint. If empty, all effects match.' }),
    ),
    tolerationSeconds: t.optional(
      t.integer({
        description:
          'TolerationSeconds is how long a taint with the effect NoExecute is tolerated. If unset, it is tolerated ' +
          'without limit.',
        format: 'int64',
      }),
    ),
  },
  { description: "Tolerations lists the tolerations of the agent's pods." },
)

const nodePlacement = t.object(
  {
    nodeSelector: t.optional(
      t.map(t.string(), { description: "NodeSelector is the node selector of the agent's pods." }),
    ),
    tolerations: t.optional(
      t.array(toleration, { description: "Tolerations lists the tolerations of the agent's pods." }),
    ),
  },
  { description: 'NodePlacement describes the nodes that the agent of the add-on runs on.' },
)

const imageMirror = t.object(
  {
    source: t.optional(
      t.string({ description: 'Source is the prefix of images to replace. If empty, it matches all images.' }),
    ),
    mirror: t.string({ description: 'Mirror is the prefix that replaces source.' }),
  },
  { description: 'ImageMirror replaces the registry of images.' },
)

const proxyConfig = t.object(
  {
    httpProxy: t.optional(t.string({ description: 'HTTPProxy is the URL of the proxy for HTTP requests.' })),
    httpsProxy: t.optional(t.string({ description: 'HTTPSProxy is the URL of the proxy for HTTPS requests.' })),
    caBundle: t.optional(t.bytes({ description: 'CABundle holds the CA certificates of the HTTPS proxy, in PEM.' })),
    noProxy: t.optional(
      t.string({ description: 'NoProxy is a comma-separated list of hosts and CIDRs to reach without a proxy.' }),
    ),
  },
  { description: 'ProxyConfig configures the proxies between the agent and the hub.' },
)

const spec = t.object(
  {
    customizedVariables: t.optional(
      t.array(variable, {
        description: 'CustomizedVariables lists values for the templates of the add-on.',
        listType: 'map',
        listMapKeys: ['name'],
      }),
    ),
    nodePlacement: t.optional(nodePlacement),
    registries: t.optional(
      t.array(imageMirror, { description: 'Registries lists image mirrors. The last match applies.' }),
    ),
    proxyConfig: t.optional(proxyConfig),
    agentInstallNamespace: t.defaulted(
      t.string({
        description: 'AgentInstallNamespace is the namespace of the agent on the managed cluster.',
        maxLength: 63,
        pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$',
      }),
      ADDON_NAMESPACE,
    ),
    resourceRequirements: t.optional(resourceRequirements),
  },
  { description: 'Spec configures the agent of the add-on.' },
)

const kind = {
  group: ADDON_GROUP,
  kind: 'AddOnDeploymentConfig',
  plural: 'addondeploymentconfigs',
  scope: 'Namespaced',
  description:
    "AddOnDeploymentConfig configures the deployment of an add-on's agent: nodes, images, proxies, resources " +
    'and variables.',
  fields: { spec },
} as const

const definition = defineKind({ ...kind, version: 'v1beta1', storage: false })

export interface AddOnDeploymentConfigSpec extends Read<typeof spec> {}
export interface NewAddOnDeploymentConfigSpec extends New<typeof spec> {}
export interface CustomizedVariable extends Read<typeof variable> {}
export interface NodePlacement extends Read<typeof nodePlacement> {}
export interface ImageMirror extends Read<typeof imageMirror> {}
export interface ProxyConfig extends Read<typeof proxyConfig> {}

/** Configures the deployment of an add-on's agent. */
export interface AddOnDeploymentConfig extends ObjectOf<typeof definition> {}
export interface NewAddOnDeploymentConfig extends DraftOf<typeof definition> {}
export const AddOnDeploymentConfig: DefinedKind<AddOnDeploymentConfig, NewAddOnDeploymentConfig> = definition

/** The v1alpha1 version, for hubs before Open Cluster Management 1.3. */
export const AddOnDeploymentConfigV1Alpha1: DefinedKind<AddOnDeploymentConfig, NewAddOnDeploymentConfig> = defineKind({
  ...kind,
  version: 'v1alpha1',
})
