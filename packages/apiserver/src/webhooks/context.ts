import type { Logger } from '@orrery/kube'
import type { AdmissionRequest } from '../admission/types.js'
import type { WebhookClient } from './client.js'
import type { InvocationContext } from './invocation.js'

/** What asking webhooks takes. */
export interface WebhookContext extends InvocationContext {
  readonly client: WebhookClient
  readonly log: Logger
}

const CONFIGURATIONS: ReadonlySet<string> = new Set([
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
])

/** Nobody may be locked out of repairing a broken webhook by that webhook. */
export function isExempt({ resource }: AdmissionRequest): boolean {
  return resource.group === 'admissionregistration.k8s.io' && CONFIGURATIONS.has(resource.plural)
}
