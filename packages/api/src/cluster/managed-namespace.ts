import { t } from '../schema/index.js'

/** The schema of the name of a namespace. */
export const namespaceName = t.string({
  description: 'The name of the namespace.',
  maxLength: 63,
  pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
})
