import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { AGE_COLUMN, type DefinedKind, defineKind, type Read, t } from '../schema/index.js'

/** The API group of ClusterProperty, defined by SIG Multicluster. */
export const ABOUT_GROUP = 'about.k8s.io'

const spec = t.object(
  {
    value: t.string({
      description: 'Value is the value of the property. The name of the object is the name of the property.',
      minLength: 1,
    }),
  },
  { description: 'Spec holds the value of the property.' },
)

const definition = defineKind({
  group: ABOUT_GROUP,
  version: 'v1alpha1',
  kind: 'ClusterProperty',
  plural: 'clusterproperties',
  scope: 'Cluster',
  description: 'ClusterProperty is a property of a cluster. It takes precedence over a ClusterClaim of the same name.',
  fields: { spec: t.optional(spec), status: t.optional(t.object({})) },
  statusSubresource: true,
  columns: [
    { name: 'value', type: 'string', jsonPath: '.spec.value' },
    { ...AGE_COLUMN, name: 'age' },
  ],
  annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/enhancements/pull/3084' },
})

export interface ClusterPropertySpec extends Read<typeof spec> {}

/** A property of a cluster. */
export interface ClusterProperty extends ObjectOf<typeof definition> {}
export interface NewClusterProperty extends DraftOf<typeof definition> {}
export const ClusterProperty: DefinedKind<ClusterProperty, NewClusterProperty> = definition
