import type { JsonObject, KubeObject, ObjectMeta } from '@orrery/kinds'
import { isObject, setOwn } from '@orrery/kinds/values'

/** Metadata that servers set: in a manifest it is a leftover of an object that was read. */
const SERVER_METADATA: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
])

/** The manifest without fields that only servers set. */
export function desiredObject(manifest: KubeObject): KubeObject {
  const cleaned = withoutNullTimestamps(manifest)
  const metadata = Object.entries(cleaned.metadata).filter(([field]) => !SERVER_METADATA.has(field))
  return { ...cleaned, metadata: Object.fromEntries(metadata) as ObjectMeta }
}

/**
 * Go programs write `creationTimestamp: null` into every pod template. Servers treat it as a change, so that each
 * apply would start a rollout.
 */
function withoutNullTimestamps<T>(value: T): T {
  if (Array.isArray(value)) {
    const items = value.map(withoutNullTimestamps)
    return items.some((item, index) => item !== value[index]) ? (items as T) : value
  }
  if (!isObject(value)) return value
  let changed: JsonObject | undefined
  for (const [key, part] of Object.entries(value)) {
    const cleaned = key === 'metadata' ? withoutNullTimestamp(withoutNullTimestamps(part)) : withoutNullTimestamps(part)
    if (cleaned === part) continue
    changed ??= { ...value }
    setOwn(changed, key, cleaned)
  }
  return (changed ?? value) as T
}

function withoutNullTimestamp<T>(metadata: T): T {
  if (!isObject(metadata) || metadata.creationTimestamp !== null) return metadata
  const { creationTimestamp: _, ...rest } = metadata
  return rest as T
}
