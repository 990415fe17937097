import type { JsonSchema } from '@orrery/cel/schema'
import type { Crd, CrdVersion } from './types.js'

/** Returns a valid definition for tests: `widgets.example.com`, one version, the given spec schema. */
export function widgets(spec: JsonSchema = { type: 'object' }, version: Partial<CrdVersion> = {}): Crd {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status: { type: 'object' } } } },
          ...version,
        },
      ],
      conversion: { strategy: 'None' },
    },
    status: { storedVersions: ['v1'] },
  }
}
