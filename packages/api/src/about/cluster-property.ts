import type { DraftOf, ObjectOf } from '@orrery/kube'
import { AGE_COLUMN, type DefinedKind, defineKind, type Read, t } from '../schema/index.js'

/** The group of what a cluster says of itself, as SIG Multicluster has it. */
export const ABOUT_GROUP = 'about.k8s.io'

const spec = t.object(
  { value: t.string({ description: 'What the cluster says under the name of the object.', minLength: 1 }) },
  { description: 'What is said.' },
)

const definition = defineKind({
  group: ABOUT_GROUP,
  version: 'v1alpha1',
  kind: 'ClusterProperty',
  plural: 'clusterproperties',
  scope: 'Cluster',
  description: 'Something a cluster says of itself. It goes before a ClusterClaim of the same name.',
  fields: { spec: t.optional(spec), status: t.optional(t.object({})) },
  statusSubresource: true,
  columns: [
    { name: 'value', type: 'string', jsonPath: '.spec.value' },
    { ...AGE_COLUMN, name: 'age' },
  ],
  annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/enhancements/pull/3084' },
})

export interface ClusterPropertySpec extends Read<typeof spec> {}

/** Something a cluster says of itself. */
export interface ClusterProperty extends ObjectOf<typeof definition> {}
export interface NewClusterProperty extends DraftOf<typeof definition> {}
export const ClusterProperty: DefinedKind<ClusterProperty, NewClusterProperty> = definition
