import type { EscalationGuard } from '../authz/escalation.js'
import type { ChangeFeed } from '../controllers/changefeed.js'
import type { Authorizer } from '../identity.js'
import type { Store } from '../store/types.js'
import {
  certificateApproval,
  certificateRequester,
  certificateSigning,
  certificateSubjectRestriction,
} from './certificates.js'
import { customResourceTermination } from './customresourcetermination.js'
import { namespaceLifecycle } from './namespacelifecycle.js'
import type { QuotaLedger } from './quota/ledger.js'
import { resourceQuota } from './quota/plugin.js'
import { rbacEscalation } from './rbacescalation.js'
import { ServiceAllocations } from './services/allocation.js'
import type { ServiceNetwork } from './services/network.js'
import { serviceAddresses } from './services/plugin.js'
import type { AdmissionPlugin } from './types.js'

/** What the built-in plugins work with. */
export interface AdmissionContext {
  readonly store: Store
  readonly feed: ChangeFeed
  readonly authorizer: Authorizer
  readonly escalation: EscalationGuard
  readonly quotas: QuotaLedger
  /** Where service addresses come from: one network, or one of each family. */
  readonly serviceNetworks: readonly [ServiceNetwork, ...ServiceNetwork[]]
}

/** The plugins every server has, in the order they run. */
export function builtinPlugins(context: AdmissionContext): AdmissionPlugin[] {
  const { store, feed, authorizer, escalation, quotas, serviceNetworks } = context
  return [
    namespaceLifecycle(store),
    customResourceTermination(store),
    certificateRequester,
    certificateApproval(authorizer),
    certificateSigning(authorizer),
    certificateSubjectRestriction,
    rbacEscalation(escalation),
    serviceAddresses(new ServiceAllocations(store, feed, serviceNetworks)),
    resourceQuota(quotas),
  ]
}

export { QuotaLedger } from './quota/ledger.js'
export { ServiceNetwork } from './services/network.js'
