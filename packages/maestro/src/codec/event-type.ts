/** The data type of ManifestWorks with their manifests. */
export const MANIFEST_BUNDLES = 'io.open-cluster-management.works.v1alpha1.manifestbundles'

const SUB_RESOURCES = ['spec', 'status'] as const
const ACTIONS = [
  'create_request',
  'update_request',
  'delete_request',
  'resync_request',
  'resync_response',
  'watch_request',
] as const

export type EventSubResource = (typeof SUB_RESOURCES)[number]
export type EventAction = (typeof ACTIONS)[number]

/** The type of a CloudEvent: `<data type>.<sub resource>.<action>`. */
export interface EventType {
  readonly dataType: string
  readonly subResource: EventSubResource
  readonly action: EventAction
}

export function formatEventType({ dataType, subResource, action }: EventType): string {
  return `${dataType}.${subResource}.${action}`
}

/** Undefined for a text that is not the type of an event about resources, such as the type of heartbeats. */
export function parseEventType(text: string): EventType | undefined {
  const parts = text.split('.')
  const action = ACTIONS.find((one) => one === parts.at(-1))
  const subResource = SUB_RESOURCES.find((one) => one === parts.at(-2))
  const dataType = parts.slice(0, -2).join('.')
  if (action === undefined || subResource === undefined || dataType === '') return undefined
  return { dataType, subResource, action }
}
