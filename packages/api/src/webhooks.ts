import type { ResourceType } from '@orrery/kinds'
import { AddOnTemplate } from './addon/addon-template.js'
import { addOnCrds } from './addon/crds.js'
import { ManagedClusterAddOn } from './addon/managed-cluster-addon.js'
import { ManagedCluster } from './cluster/managed-cluster.js'
import { ManagedClusterScore } from './cluster/managed-cluster-score.js'
import { ManagedClusterSetBinding } from './cluster/managed-cluster-set-binding.js'
import { HUB_NAMESPACE } from './cluster/registration.js'
import { ManifestWork } from './work/manifest-work.js'
import { ManifestWorkDryRun } from './work/manifest-work-dry-run.js'
import { ManifestWorkReplicaSet } from './work/manifest-work-replica-set.js'

/** The default port of the webhooks. */
export const WEBHOOK_PORT = 9443

/** The Service of the webhooks of a hub that runs in the cluster. */
export const WEBHOOK_SERVICE = { namespace: HUB_NAMESPACE, name: 'orrery-webhook', port: WEBHOOK_PORT } as const

/** The labels of the hub pods, which the Service selects. */
export const HUB_POD_LABELS = { app: 'orrery-hub' } as const

/** The Secret with the serving certificate of the webhooks. */
export const WEBHOOK_SECRET = { namespace: HUB_NAMESPACE, name: 'orrery-webhook-certificate' } as const

/** The admission phase of a webhook. */
export type WebhookPhase = 'mutate' | 'validate'

/** An admission webhook of a hub. Its configuration has the same name. */
export interface HubWebhook {
  readonly name: string
  readonly phase: WebhookPhase
  readonly kind: ResourceType
  readonly versions: readonly string[]
  /** The subresources that it is called for, besides the object itself. */
  readonly subresources: readonly string[]
}

/** The admission webhooks of a hub, with the names of Open Cluster Management. */
export const HUB_WEBHOOKS: readonly HubWebhook[] = [
  hubWebhook('mutate', ManagedCluster, '*'),
  hubWebhook('validate', ManagedCluster, '*'),
  hubWebhook('validate', ManagedClusterSetBinding, ManagedClusterSetBinding.version),
  hubWebhook('validate', ManifestWork, '*'),
  hubWebhook('validate', ManifestWorkReplicaSet, '*'),
  hubWebhook('validate', ManifestWorkDryRun, '*'),
  hubWebhook('validate', ManagedClusterScore, '*'),
  hubWebhook('validate', AddOnTemplate, '*'),
  hubWebhook('validate', ManagedClusterAddOn, '*', ['status']),
]

/** A validating webhook that tests whether the API server can reach the webhooks of the hub. */
export const TRIAL_WEBHOOK = 'webhooktrials.admission.cluster.open-cluster-management.io'

/** The names of the CRDs with conversion webhooks. */
export function convertedCrds(): string[] {
  return addOnCrds()
    .filter(({ spec }) => spec.conversion?.strategy === 'Webhook')
    .map(({ metadata }) => metadata.name as string)
}

function hubWebhook(
  phase: WebhookPhase,
  kind: ResourceType,
  versions: string,
  subresources: readonly string[] = [],
): HubWebhook {
  const name = `${kind.kind.toLowerCase()}${phase === 'mutate' ? 'mutators' : 'validators'}.admission.${kind.group}`
  return { name, phase, kind, versions: [versions], subresources }
}
