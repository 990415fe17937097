import type { AdmissionChain } from '../admission/chain.js'
import type { AdmissionRequest } from '../admission/types.js'
import type { Clock } from '../clock.js'
import type { Store } from '../store/types.js'
import type { WatchHub } from '../watch/types.js'
import type { VerbContext } from './context.js'

/** What the verbs work with. */
export interface Registry {
  readonly store: Store
  readonly hub: WatchHub
  readonly admission: AdmissionChain
  readonly clock: Clock
}

/** Builds the admission view of a write. */
export function admissionRequest(
  context: VerbContext,
  operation: AdmissionRequest['operation'],
  fields: Pick<AdmissionRequest, 'object' | 'oldObject' | 'dryRun' | 'options'>,
): AdmissionRequest {
  return {
    operation,
    resource: context.logic.resource,
    subresource: context.subresource,
    namespace: context.namespace,
    name: context.name,
    identity: context.identity,
    ...fields,
    warn: (message) => {
      context.warnings.push(message)
    },
    annotate: (key, value) => {
      context.annotations[key] = value
    },
  }
}
