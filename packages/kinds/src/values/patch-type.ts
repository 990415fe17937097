/** The media types of the four kinds of patch that Kubernetes knows. */
export const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const

/** A kind of patch: a JSON patch, a JSON merge patch, a strategic merge patch, or a server-side apply. */
export type PatchType = keyof typeof PATCH_TYPES
