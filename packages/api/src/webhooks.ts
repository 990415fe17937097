import type { ResourceType } from '@orrery/kube'
import { addOnCrds } from './addon/crds.js'
import { ManagedCluster } from './cluster/managed-cluster.js'
import { ManagedClusterSetBinding } from './cluster/managed-cluster-set-binding.js'
import { HUB_NAMESPACE } from './cluster/registration.js'
import { ManifestWork } from './work/manifest-work.js'
import { ManifestWorkDryRun } from './work/manifest-work-dry-run.js'
import { ManifestWorkReplicaSet } from './work/manifest-work-replica-set.js'

/** The port of the webhooks, unless told otherwise. */
export const WEBHOOK_PORT = 9443

/** The Service that a hub in a cluster has its webhooks behind. */
export const WEBHOOK_SERVICE = { namespace: HUB_NAMESPACE, name: 'orrery-webhook', port: WEBHOOK_PORT } as const

/** What the pods behind that Service are labelled with. */
export const HUB_POD_LABELS = { app: 'orrery-hub' } as const

/** The Secret with the certificate that the webhooks of a hub have made for themselves. */
export const WEBHOOK_SECRET = { namespace: HUB_NAMESPACE, name: 'orrery-webhook-certificate' } as const

/** What a webhook does with an object. */
export type WebhookPhase = 'mutate' | 'validate'

/** A webhook of a hub. Its configuration has the same name. */
export interface HubWebhook {
  readonly name: string
  readonly phase: WebhookPhase
  readonly kind: ResourceType
  readonly versions: readonly string[]
}

/** The webhooks of a hub, under the names that Open Cluster Management gives them. */
export const HUB_WEBHOOKS: readonly HubWebhook[] = [
  hubWebhook('mutate', ManagedCluster, '*'),
  hubWebhook('validate', ManagedCluster, '*'),
  hubWebhook('validate', ManagedClusterSetBinding, ManagedClusterSetBinding.version),
  hubWebhook('validate', ManifestWork, '*'),
  hubWebhook('validate', ManifestWorkReplicaSet, '*'),
  hubWebhook('validate', ManifestWorkDryRun, '*'),
]

/** A validating webhook that only tells whether the API server reaches the webhooks of the hub. */
export const TRIAL_WEBHOOK = 'webhooktrials.admission.cluster.open-cluster-management.io'

/** The definitions of kinds whose versions a hub converts. */
export function convertedCrds(): string[] {
  return addOnCrds()
    .filter(({ spec }) => spec.conversion?.strategy === 'Webhook')
    .map(({ metadata }) => metadata.name as string)
}

function hubWebhook(phase: WebhookPhase, kind: ResourceType, versions: string): HubWebhook {
  const name = `${kind.kind.toLowerCase()}${phase === 'mutate' ? 'mutators' : 'validators'}.admission.${kind.group}`
  return { name, phase, kind, versions: [versions] }
}
