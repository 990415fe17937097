import type { Logger } from '@orrery/kube'
import type { AdmissionRequest } from '../admission/types.js'
import type { WebhookClient } from './client.js'
import type { InvocationContext } from './invocation.js'

/** The dependencies of webhook plugins. */
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

/** A broken webhook must not prevent its own repair. */
export function isExempt({ resource }: AdmissionRequest): boolean {
  return resource.group === 'admissionregistration.k8s.io' && CONFIGURATIONS.has(resource.plural)
}
