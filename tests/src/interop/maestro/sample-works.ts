import type { ManifestWork, NewManifestWork } from '@orrery/api'

export const configMap = (colour: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name: 'settings' },
  data: { colour },
})

/** A work with one ConfigMap. */
export const workWith = (metadata: NewManifestWork['metadata']): NewManifestWork => ({
  metadata,
  spec: { workload: { manifests: [configMap('blue')] } },
})

export const names = (items: readonly ManifestWork[]) => items.map(({ metadata }) => metadata.name).sort()
