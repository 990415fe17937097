import type { Pod } from '@orrery/kinds'

const KEYED = /^metadata\.(labels|annotations)\['(.*)'\]$/

/** What the node knows of a pod before its status says so. */
export interface PodPlace {
  readonly hostIP: string
  readonly podIP: string
}

/** The value of a field of a pod, for variables and downward API files. Undefined for paths that are not offered. */
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

/** A map as downward API files hold it: a quoted line for each key, in order. */
function mapText(map: Readonly<Record<string, string>> = {}): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join('\n')
}
