import type { Crd } from './types.js'

/** The annotation of a CRD in a group of Kubernetes that names its approval, or states that there is none. */
export const APPROVAL_ANNOTATION = 'api-approved.kubernetes.io'

export type ApprovalState = 'Missing' | 'Invalid' | 'Approved' | 'Bypassed'

export interface Approval {
  readonly state: ApprovalState
  readonly reason: string
}

/** Returns whether a group belongs to the Kubernetes project. */
export function isProtectedGroup(group: string): boolean {
  return ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`))
}

export function approvalOf(crd: Crd): Approval {
  const annotation = crd.metadata.annotations?.[APPROVAL_ANNOTATION] ?? ''
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111'
  const must = `protected groups must have approval annotation "${APPROVAL_ANNOTATION}"`
  if (annotation === '') return { state: 'Missing', reason: `${must}, ${see}` }
  if (annotation.startsWith('unapproved')) {
    return { state: 'Bypassed', reason: `not approved: ${JSON.stringify(annotation)}` }
  }
  if (isAbsoluteUrl(annotation)) return { state: 'Approved', reason: `approved in ${annotation}` }
  return { state: 'Invalid', reason: `${must} with either a URL or a reason starting with "unapproved", ${see}` }
}

function isAbsoluteUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).host !== ''
}
