import { t } from '../schema/index.js'

/** The schema of a namespace name. */
export const namespaceName = t.string({
  description: 'Name is the name of the namespace.',
  maxLength: 63,
  pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
})
