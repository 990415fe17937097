// The objects of the client's benchmarks.

export function configMap(index, version, { metadata, data } = {}) {
  return {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: {
      name: `config-${index}`,
      namespace: `namespace-${index % 100}`,
      uid: `0b9f5f3e-5f0e-4c53-9d2f-${String(index).padStart(12, '0')}`,
      resourceVersion: String(version),
      creationTimestamp: '2030-01-01T00:00:00Z',
      labels: { app: `web-${index % 50}`, 'app.kubernetes.io/managed-by': 'bench' },
      ...metadata,
    },
    data: { value: String(index).padStart(100, 'x'), ...data },
  }
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
