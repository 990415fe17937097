import type { Pod } from '@orrery/kinds'

const KEYED = /^metadata\.(labels|annotations)\['(.*)'\]$/

/** Values of a pod that the node knows before they are in its status. */
export interface PodPlace {
  readonly hostIP: string
  readonly podIP: string
}

/** Returns a field of a pod for the downward API. Returns undefined for unsupported paths. */
export function podFieldValue(pod: Pod, path: string, place: PodPlace): string | undefined {
  const { metadata, spec } = pod
  const keyed = KEYED.exec(path)
  if (keyed !== null) {
    const map = keyed[1] === 'labels' ? metadata.labels : metadata.annotations
    const key = keyed[2] ?? ''
    return map !== undefined && Object.hasOwn(map, key) ? map[key] : ''
  }
  switch (path) {
    case 'metadata.name':
      return metadata.name
    case 'metadata.namespace':
      return metadata.namespace
    case 'metadata.uid':
      return metadata.uid
    case 'metadata.labels':
      return mapText(metadata.labels)
    case 'metadata.annotations':
      return mapText(metadata.annotations)
    case 'spec.nodeName':
      return spec.nodeName ?? ''
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? ''
    case 'status.hostIP':
    case 'status.hostIPs':
      return place.hostIP
    case 'status.podIP':
    case 'status.podIPs':
      return place.podIP
    default:
      return undefined
  }
}

/** Formats a map for a downward API file: a quoted line for each key, sorted. */
function mapText(map: Readonly<Record<string, string>> = {}): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join('\n')
}
