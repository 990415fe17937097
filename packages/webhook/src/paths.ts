import type { WebhookPhase } from '@orrery/api'
import type { ResourceType } from '@orrery/kinds'

/** Where versions of add-ons are converted. */
export const CONVERSION_PATH = '/convert'

/** Where everything is refused, so that whoever asks knows that somebody answers. */
export const TRIAL_PATH = '/trial'

/** Where objects of a kind are reviewed. */
export function reviewPath(phase: WebhookPhase, { group, version, kind }: ResourceType): string {
  return `/${phase}-${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`
}
