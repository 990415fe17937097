import type { Store } from '../store/types.js'
import { customResourceTermination } from './customresourcetermination.js'
import { namespaceLifecycle } from './namespacelifecycle.js'
import type { AdmissionPlugin } from './types.js'

/** What the built-in plugins work with. */
export interface AdmissionContext {
  readonly store: Store
}

/** The plugins every server has, in the order they run. */
export function builtinPlugins({ store }: AdmissionContext): AdmissionPlugin[] {
  return [namespaceLifecycle(store), customResourceTermination(store)]
}
