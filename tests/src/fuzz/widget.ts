const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** A CRD with most of the features of schemas. */
export const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.fuzz.example.test' },
  spec: {
    group: 'fuzz.example.test',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        selectableFields: [{ jsonPath: '.spec.color' }],
        additionalPrinterColumns: [
          { name: 'Color', type: 'string', jsonPath: '.spec.color' },
          { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
          { name: 'Since', type: 'date', jsonPath: '.spec.since' },
          { name: 'Last', type: 'string', jsonPath: '.spec.items[-1:].name' },
          { name: 'Free', type: 'string', jsonPath: '.spec.free..x' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['color'],
                'x-kubernetes-validations': [{ rule: 'self.replicas <= 100', message: 'too many' }],
                properties: {
                  color: {
                    type: 'string',
                    enum: ['red', 'green', 'blue'],
                    'x-kubernetes-validations': [{ rule: "self != 'blue' || oldSelf == 'blue'" }],
                  },
                  replicas: { type: 'integer', format: 'int32', minimum: 0, default: 1 },
                  ratio: { type: 'number', multipleOf: 0.5, nullable: true },
                  since: { type: 'string', format: 'date-time' },
                  pattern: { type: 'string', pattern: '^(a+)+$', maxLength: 100 },
                  port: { 'x-kubernetes-int-or-string': true },
                  tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' }, maxItems: 50 },
                  items: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string' }, value: { type: 'integer', default: 7 } },
                    },
                  },
                  labels: { type: 'object', additionalProperties: { type: 'string' } },
                  free: anything,
                  embedded: { ...anything, 'x-kubernetes-embedded-resource': true },
                  either: {
                    type: 'object',
                    properties: { a: { type: 'string' }, b: { type: 'string' } },
                    oneOf: [{ required: ['a'] }, { required: ['b'] }],
                  },
                  address: { type: 'string', format: 'ipv4' },
                  bytes: { type: 'string', format: 'byte' },
                },
              },
              status: {
                type: 'object',
                properties: { replicas: { type: 'integer' }, selector: { type: 'string' }, notes: anything },
              },
            },
          },
        },
      },
    ],
  },
}

/** A widget with a value in every field. */
export const WIDGET = {
  apiVersion: 'fuzz.example.test/v1',
  kind: 'Widget',
  metadata: { name: 'fuzz', labels: { app: 'a' } },
  spec: {
    color: 'red',
    replicas: 2,
    ratio: 1.5,
    since: '2026-01-01T00:00:00Z',
    pattern: 'aaa',
    port: 'http',
    tags: ['a', 'b'],
    items: [{ name: 'x' }, { name: 'other', value: 2 }],
    labels: { a: 'b' },
    free: { x: [{ y: null }] },
    embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {} },
    either: { a: 'x' },
    address: '10.0.0.1',
    bytes: 'AAEC',
  },
  status: { replicas: 1, selector: 'app=a', notes: {} },
}
