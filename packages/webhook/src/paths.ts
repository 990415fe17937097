import type { WebhookPhase } from '@orrery/api'
import type { ResourceType } from '@orrery/kinds'

/** The path of the conversion webhook for add-ons. */
export const CONVERSION_PATH = '/convert'

/** The path of the trial webhook, which denies every request. */
export const TRIAL_PATH = '/trial'

/** The path of the admission webhook of a kind. */
export function reviewPath(phase: WebhookPhase, { group, version, kind }: ResourceType): string {
  return `/${phase}-${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`
}
