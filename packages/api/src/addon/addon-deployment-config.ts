import type { DraftOf, ObjectOf } from '@orrery/kube'
import { ADDON_NAMESPACE } from '../cluster/registration.js'
import { type DefinedKind, defineKind, type New, type Read, t } from '../schema/index.js'
import { ADDON_GROUP } from './names.js'
import { resourceRequirements } from './resource-requirements.js'

const variable = t.object(
  {
    name: t.string({ description: 'The name of the variable.', maxLength: 255, pattern: '^[a-zA-Z_][_a-zA-Z0-9]*$' }),
    value: t.optional(t.string({ description: 'Its value; empty when left out.', maxLength: 1024 })),
  },
  { description: 'A value for the templates of an add-on.' },
)

const toleration = t.object(
  {
    key: t.optional(t.string({ description: 'The key of the taint; empty for any.' })),
    operator: t.optional(t.string({ description: 'Equal, which is the default, or Exists.' })),
    value: t.optional(t.string({ description: 'The value of the taint, for Equal.' })),
    effect: t.optional(t.string({ description: 'What the taint does; empty for anything.' })),
    tolerationSeconds: t.optional(
      t.integer({ description: 'For NoExecute: for how long. Left out, for ever.', format: 'int64' }),
    ),
  },
  { description: 'Taints that do not keep the agent off a node.' },
)

const nodePlacement = t.object(
  {
    nodeSelector: t.optional(t.map(t.string(), { description: 'Labels that the nodes must have.' })),
    tolerations: t.optional(t.array(toleration, { description: 'Taints that do not keep the agent off a node.' })),
  },
  { description: 'Which nodes the agent runs on.' },
)

const imageMirror = t.object(
  {
    source: t.optional(t.string({ description: 'How the images begin that come from elsewhere; empty for all.' })),
    mirror: t.string({ description: 'What stands there instead.' }),
  },
  { description: 'Images that come from elsewhere.' },
)

const proxyConfig = t.object(
  {
    httpProxy: t.optional(t.string({ description: 'The proxy for http.' })),
    httpsProxy: t.optional(t.string({ description: 'The proxy for https.' })),
    caBundle: t.optional(t.bytes({ description: 'The certificates that the proxy for https is trusted by, as PEM.' })),
    noProxy: t.optional(t.string({ description: 'Hosts and networks to reach without a proxy, with commas between.' })),
  },
  { description: 'How the agent gets to the hub through proxies.' },
)

const spec = t.object(
  {
    customizedVariables: t.optional(
      t.array(variable, {
        description: 'Values for the templates of the add-on.',
        listType: 'map',
        listMapKeys: ['name'],
      }),
    ),
    nodePlacement: t.optional(nodePlacement),
    registries: t.optional(
      t.array(imageMirror, { description: 'Images that come from elsewhere. The last one that fits counts.' }),
    ),
    proxyConfig: t.optional(proxyConfig),
    agentInstallNamespace: t.defaulted(
      t.string({
        description: 'The namespace on the cluster that the add-on goes to.',
        maxLength: 63,
        pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$',
      }),
      ADDON_NAMESPACE,
    ),
    resourceRequirements: t.optional(resourceRequirements),
  },
  { description: 'How the add-on is run.' },
)

const kind = {
  group: ADDON_GROUP,
  kind: 'AddOnDeploymentConfig',
  plural: 'addondeploymentconfigs',
  scope: 'Namespaced',
  description: 'How an add-on is run on clusters: where, with what images, resources and proxies.',
  fields: { spec },
} as const

const definition = defineKind({ ...kind, version: 'v1beta1', storage: false })

export interface AddOnDeploymentConfigSpec extends Read<typeof spec> {}
export interface NewAddOnDeploymentConfigSpec extends New<typeof spec> {}
export interface CustomizedVariable extends Read<typeof variable> {}
export interface NodePlacement extends Read<typeof nodePlacement> {}
export interface ImageMirror extends Read<typeof imageMirror> {}
export interface ProxyConfig extends Read<typeof proxyConfig> {}

/** How an add-on is run on clusters. */
export interface AddOnDeploymentConfig extends ObjectOf<typeof definition> {}
export interface NewAddOnDeploymentConfig extends DraftOf<typeof definition> {}
export const AddOnDeploymentConfig: DefinedKind<AddOnDeploymentConfig, NewAddOnDeploymentConfig> = definition

/** The same, as hubs before Open Cluster Management 1.3 know it. */
export const AddOnDeploymentConfigV1Alpha1: DefinedKind<AddOnDeploymentConfig, NewAddOnDeploymentConfig> = defineKind({
  ...kind,
  version: 'v1alpha1',
})
