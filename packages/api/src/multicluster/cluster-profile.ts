import type { DraftOf, ObjectOf } from '@orrery/kube'
import { type DefinedKind, defineKind, type Read, t } from '../schema/index.js'

/** The group of the kinds of SIG Multicluster. */
export const MULTICLUSTER_GROUP = 'multicluster.x-k8s.io'

const clusterManager = t.object(
  { name: t.string({ description: 'The name of the manager.' }) },
  {
    description: 'Who manages the cluster, and this object.',
    rules: [{ rule: 'self == oldSelf', message: 'ClusterManager is immutable' }],
  },
)

const spec = t.object(
  {
    displayName: t.optional(t.string({ description: 'What people call the cluster.' })),
    clusterManager,
  },
  { description: 'Which cluster it is.' },
)

const extension = t.object(
  {
    name: t.string({ description: 'What the extension is called.' }),
    extension: t.raw({ description: 'What it says.' }),
  },
  { description: 'More that a manager or a plugin has to say.' },
)

const cluster = t.object(
  {
    server: t.string({ description: 'Where the API server answers.' }),
    'tls-server-name': t.optional(t.string({ description: 'The name its certificate is checked for.' })),
    'insecure-skip-tls-verify': t.optional(t.boolean({ description: 'Its certificate is not checked.' })),
    'certificate-authority': t.optional(t.string({ description: 'A file with the certificates it is trusted by.' })),
    'certificate-authority-data': t.optional(t.bytes({ description: 'The certificates it is trusted by.' })),
    'proxy-url': t.optional(t.string({ description: 'A proxy on the way to it.' })),
    'disable-compression': t.optional(t.boolean({ description: 'It is not asked for compressed answers.' })),
    extensions: t.optional(t.array(extension, { description: 'More that is to be said.' })),
  },
  { description: 'How the cluster is reached, as in a kubeconfig.' },
)

const provider = t.object(
  {
    name: t.string({ description: 'The name of the provider, by which a client finds its plugin.' }),
    cluster: t.optional(cluster),
  },
  { description: 'A way to the cluster.' },
)

const property = t.object(
  {
    name: t.string({ description: 'The name of the property.', minLength: 1, maxLength: 253 }),
    value: t.string({ description: 'The value of the property.', minLength: 1, maxLength: 1024 }),
    lastObservedTime: t.optional(t.time({ description: 'When the value was last seen.' })),
  },
  { description: 'Something the cluster says of itself.' },
)

const status = t.object(
  {
    conditions: t.optional(t.looseConditions({ description: 'How the cluster fares.' })),
    version: t.optional(
      t.object(
        { kubernetes: t.optional(t.string({ description: 'The version of Kubernetes.' })) },
        { description: 'What the cluster runs.' },
      ),
    ),
    properties: t.optional(t.array(property, { description: 'What the cluster says of itself.' })),
    accessProviders: t.optional(t.array(provider, { description: 'Ways to the cluster.' })),
    credentialProviders: t.optional(
      t.array(provider, { description: 'Ways to the cluster, under the name this field had before.' }),
    ),
  },
  { description: 'What is known of the cluster.' },
)

const definition = defineKind({
  group: MULTICLUSTER_GROUP,
  version: 'v1alpha1',
  kind: 'ClusterProfile',
  plural: 'clusterprofiles',
  scope: 'Namespaced',
  description: 'A cluster as tools of any maker see it.',
  fields: { spec, status: t.optional(status) },
  statusSubresource: true,
})

export interface ClusterProfileSpec extends Read<typeof spec> {}
export interface ClusterProfileStatus extends Read<typeof status> {}
export interface AccessProvider extends Read<typeof provider> {}
export interface ClusterProfileProperty extends Read<typeof property> {}

/** A cluster as tools of any maker see it. */
export interface ClusterProfile extends ObjectOf<typeof definition> {}
export interface NewClusterProfile extends DraftOf<typeof definition> {}
export const ClusterProfile: DefinedKind<ClusterProfile, NewClusterProfile> = definition
