import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { type DefinedKind, defineKind, type Read, t } from '../schema/index.js'

/** The API group of SIG Multicluster. */
export const MULTICLUSTER_GROUP = 'multicluster.x-k8s.io'

const clusterManager = t.object(
  { name: t.string({ description: 'Name is the name of the cluster manager.' }) },
  {
    description: 'ClusterManager is the program that manages the cluster and this object. Immutable.',
    rules: [{ rule: 'self == oldSelf', message: 'ClusterManager is immutable' }],
  },
)

const spec = t.object(
  {
    displayName: t.optional(t.string({ description: 'DisplayName is a human-readable name of the cluster.' })),
    clusterManager,
  },
  { description: 'Spec identifies the cluster and its manager.' },
)

const extension = t.object(
  {
    name: t.string({ description: 'Name is the name of the extension.' }),
    extension: t.raw({ description: 'Extension holds the data of the extension.' }),
  },
  { description: 'An extension for a cluster manager or a plugin.' },
)

const cluster = t.object(
  {
    server: t.string({ description: 'Server is the URL of the API server.' }),
    'tls-server-name': t.optional(
      t.string({
        description:
          'TLSServerName is the name to verify the server certificate against. Defaults to the host of the URL.',
      }),
    ),
    'insecure-skip-tls-verify': t.optional(
      t.boolean({ description: 'InsecureSkipTLSVerify disables the verification of the server certificate.' }),
    ),
    'certificate-authority': t.optional(t.string({ description: 'CertificateAuthority is the path of a CA file.' })),
    'certificate-authority-data': t.optional(
      t.bytes({
        description: 'CertificateAuthorityData holds CA certificates in PEM. It overrides certificate-authority.',
      }),
    ),
    'proxy-url': t.optional(t.string({ description: 'ProxyURL is the URL of a proxy for all requests.' })),
    'disable-compression': t.optional(
      t.boolean({ description: 'DisableCompression disables the compression of responses.' }),
    ),
    extensions: t.optional(t.array(extension, { description: 'Extensions holds additional data.' })),
  },
  { description: 'Cluster describes how to connect to the cluster, as in a kubeconfig.' },
)

const provider = t.object(
  {
    name: t.string({ description: 'Name is the name of the provider. Clients use it to find the credential plugin.' }),
    cluster: t.optional(cluster),
  },
  { description: 'An access provider of the cluster.' },
)

const property = t.object(
  {
    name: t.string({ description: 'Name is the name of the property.', minLength: 1, maxLength: 253 }),
    value: t.string({ description: 'Value is the value of the property.', minLength: 1, maxLength: 1024 }),
    lastObservedTime: t.optional(t.time({ description: 'LastObservedTime is when the value was last observed.' })),
  },
  { description: 'Property is a property of the cluster.' },
)

const status = t.object(
  {
    conditions: t.optional(t.looseConditions({ description: 'Conditions describe the state of the cluster.' })),
    version: t.optional(
      t.object(
        { kubernetes: t.optional(t.string({ description: "Kubernetes is the version of the cluster's API server." })) },
        { description: 'Version holds the Kubernetes version of the cluster.' },
      ),
    ),
    properties: t.optional(t.array(property, { description: 'Properties lists properties of the cluster.' })),
    accessProviders: t.optional(
      t.array(provider, { description: 'AccessProviders lists the ways to access the cluster.' }),
    ),
    credentialProviders: t.optional(
      t.array(provider, { description: 'CredentialProviders is the former name of accessProviders. Deprecated.' }),
    ),
  },
  { description: 'Status is the observed state of the cluster.' },
)

const definition = defineKind({
  group: MULTICLUSTER_GROUP,
  version: 'v1alpha1',
  kind: 'ClusterProfile',
  plural: 'clusterprofiles',
  scope: 'Namespaced',
  description: 'ClusterProfile represents a cluster for multi-cluster tools, independent of its manager.',
  fields: { spec, status: t.optional(status) },
  statusSubresource: true,
})

export interface ClusterProfileSpec extends Read<typeof spec> {}
export interface ClusterProfileStatus extends Read<typeof status> {}
export interface AccessProvider extends Read<typeof provider> {}
export interface ClusterProfileProperty extends Read<typeof property> {}

/** ClusterProfile represents a cluster for multi-cluster tools, independent of its manager. */
export interface ClusterProfile extends ObjectOf<typeof definition> {}
export interface NewClusterProfile extends DraftOf<typeof definition> {}
export const ClusterProfile: DefinedKind<ClusterProfile, NewClusterProfile> = definition
