import { cloneJson } from '@orrery/kinds/values'
import type { Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { AdmissionPlugin } from '../admission/types.js'
import type { EscalationGuard } from '../authz/escalation.js'
import type { Authorizer } from '../identity/identity.js'
import type { Catalog } from '../registry/catalog.js'
import type { ChangeFeed } from '../store/change-feed.js'
import type { Store } from '../store/types.js'
import { type WebhookClient, webhookPlugins } from '../webhooks/index.js'
import {
  certificateApproval,
  certificateRequester,
  certificateSigning,
  certificateSubjectRestriction,
} from './certificates.js'
import { customResourceTermination } from './custom-resource-termination.js'
import { defaultIngressClass, defaultStorageClass } from './default-classes.js'
import { limitRanger } from './limit-ranger.js'
import { namespaceLifecycle } from './namespace-lifecycle.js'
import { priority } from './priority.js'
import type { QuotaLedger } from './quota/ledger.js'
import { resourceQuota } from './quota/plugin.js'
import { rbacEscalation } from './rbac-escalation.js'
import { resourceClaims } from './resource-claims.js'
import { runtimeClass } from './runtime-class.js'
import { serviceAccount } from './service-account.js'
import { ServiceAllocations } from './services/allocation.js'
import type { ServiceNetwork } from './services/network.js'
import { serviceAddresses } from './services/plugin.js'
import { persistentVolumeClaimResize, storageObjectInUseProtection } from './storage-objects.js'
import { defaultTolerationSeconds, taintNodesByCondition } from './tolerations.js'

/** The dependencies of the built-in plugins. */
export interface AdmissionContext {
  readonly store: Store
  readonly catalog: Catalog
  readonly feed: ChangeFeed
  readonly authorizer: Authorizer
  readonly escalation: EscalationGuard
  readonly quotas: QuotaLedger
  /** The networks of service addresses: one, or one of each family. */
  readonly serviceNetworks: readonly [ServiceNetwork, ...ServiceNetwork[]]
  /** Calls webhooks. */
  readonly webhooks: WebhookClient
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Returns all plugins in the order in which they run: the built-in ones, those of the embedding program, webhooks, and
 * quotas last, since their reservations count as written.
 */
export function admissionPlugins(context: AdmissionContext, further: readonly AdmissionPlugin[]): AdmissionPlugin[] {
  const { feed, quotas, webhooks: client } = context
  const changes = further.some(({ mutate }) => mutate !== undefined)
  const own = [...builtinPlugins(context), ...(changes ? [copyOfItsOwn] : []), ...further]
  const webhooks = webhookPlugins({ ...context, client }, feed, own)
  return [...own, webhooks.mutating, ...webhooks.validating, resourceQuota(quotas)]
}

/**
 * The object to be written may share parts with a stored one. External plugins get a copy, since they may change it.
 */
const copyOfItsOwn: AdmissionPlugin = {
  name: 'CopyOfItsOwn',
  mutate(request) {
    if (request.object !== undefined) request.object = cloneJson(request.object)
  },
}

function builtinPlugins(context: AdmissionContext): AdmissionPlugin[] {
  const { store, feed, authorizer, escalation, serviceNetworks } = context
  return [
    namespaceLifecycle(store),
    customResourceTermination(store),
    limitRanger(store),
    serviceAccount(context),
    taintNodesByCondition,
    priority(store),
    defaultTolerationSeconds,
    defaultStorageClass(store),
    storageObjectInUseProtection,
    persistentVolumeClaimResize(store),
    runtimeClass(store),
    resourceClaims(store, authorizer),
    certificateRequester,
    certificateApproval(authorizer),
    certificateSigning(authorizer),
    certificateSubjectRestriction,
    defaultIngressClass(store),
    rbacEscalation(escalation),
    serviceAddresses(new ServiceAllocations(store, feed, serviceNetworks)),
  ]
}

export { QuotaLedger } from './quota/ledger.js'
export { ServiceNetwork } from './services/network.js'
