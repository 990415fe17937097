import type { Store } from '../store/types.js'
import type { FlowControl } from './flow-control.js'
import {
  FLOW_SCHEMAS_BUCKET,
  type FlowSchema,
  PRIORITY_LEVELS_BUCKET,
  type PriorityLevelConfiguration,
} from './types.js'

/**
 * Configures flow control from the stored objects, or the defaults until there are some. Returns a function that stops
 * it.
 */
export function followStoredConfiguration(store: Store, flowControl: FlowControl): () => void {
  const all = <T>(bucket: string) =>
    store.page({ bucket, namespace: '' }).entries.map((entry) => entry.object() as unknown as T)
  const load = () => {
    const schemas = all<FlowSchema>(FLOW_SCHEMAS_BUCKET)
    const levels = all<PriorityLevelConfiguration>(PRIORITY_LEVELS_BUCKET)
    // Both are created together at the first start.
    if (schemas.length > 0 && levels.length > 0) flowControl.configure(schemas, levels)
  }
  load()
  return store.subscribe((changes) => {
    const isAffected = changes.some(
      ({ entry }) => entry.bucket === FLOW_SCHEMAS_BUCKET || entry.bucket === PRIORITY_LEVELS_BUCKET,
    )
    if (isAffected) load()
  })
}
