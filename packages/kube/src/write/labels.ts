import type { ApiObject, Kind } from '@orrery/kinds'
import type { KubeClient } from '../client/client.js'
import type { WriteOptions } from '../client/options.js'
import { refOfObject } from './patch.js'

/** Values to set; null removes a key. */
export type KeyChanges = Readonly<Record<string, string | null>>

/** Sets and removes labels. Sends nothing if nothing changes. */
export function changeLabels<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  object: T,
  changes: KeyChanges,
  options: WriteOptions = {},
): Promise<T> {
  return changeKeys('labels', client, kind, object, changes, options)
}

/** Sets and removes annotations. Sends nothing if nothing changes. */
export function changeAnnotations<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  object: T,
  changes: KeyChanges,
  options: WriteOptions = {},
): Promise<T> {
  return changeKeys('annotations', client, kind, object, changes, options)
}

/** Keys are set independently of the rest of the object, so the patch has the uid but no resourceVersion. */
async function changeKeys<T extends ApiObject>(
  field: 'labels' | 'annotations',
  client: KubeClient,
  kind: Kind<T, object>,
  object: T,
  changes: KeyChanges,
  options: WriteOptions,
): Promise<T> {
  const { uid, [field]: known = {} } = object.metadata
  const current = (key: string) => (Object.hasOwn(known, key) ? known[key] : null)
  const differing = Object.entries(changes).filter(([key, value]) => current(key) !== value)
  if (differing.length === 0) return object
  return client.patch(kind, refOfObject(object), { metadata: { uid, [field]: Object.fromEntries(differing) } }, options)
}
