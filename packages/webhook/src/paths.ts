import type { ResourceType } from '@orrery/kube'

/** Where versions of add-ons are converted. */
export const CONVERSION_PATH = '/convert'

/** What a webhook does with an object. */
export type Phase = 'mutate' | 'validate'

/** Where objects of a kind are reviewed. */
export function reviewPath(phase: Phase, { group, version, kind }: ResourceType): string {
  return `/${phase}-${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`
}
