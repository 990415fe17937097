import type { Store } from '../store/types.js'
import type { FlowControl } from './flow-control.js'
import {
  FLOW_SCHEMAS_BUCKET,
  type FlowSchema,
  PRIORITY_LEVELS_BUCKET,
  type PriorityLevelConfiguration,
} from './types.js'

/** Keeps flow control to what is stored. Until something is, it keeps to the defaults. Returns the way to stop. */
export function followStoredConfiguration(store: Store, flowControl: FlowControl): () => void {
  const all = <T>(bucket: string) =>
    store.page({ bucket, namespace: '' }).entries.map((entry) => entry.object() as unknown as T)
  const load = () => {
    const schemas = all<FlowSchema>(FLOW_SCHEMAS_BUCKET)
    const levels = all<PriorityLevelConfiguration>(PRIORITY_LEVELS_BUCKET)
    // Both are made together at the first start.
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
