import { type Read, t } from '../schema/index.js'

const NAME = {
  minLength: 1,
  maxLength: 253,
  pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$',
}

const serviceAccount = t.object(
  {
    namespace: t.string({ description: 'The namespace of the account.', ...NAME }),
    name: t.string({ description: 'The name of the account.', ...NAME }),
  },
  { description: 'A service account of the cluster.' },
)

const subject = t.object(
  {
    type: t.enum(['ServiceAccount'], { description: 'What it is.' }),
    serviceAccount: t.optional(serviceAccount),
  },
  { description: 'Who it is.' },
)

/** The schema of in whose name a work is applied. */
export const executor = t.object(
  { subject: t.optional(subject) },
  {
    description:
      'In whose name the work is applied: nothing is that this one may not do. Left out, the agent does all it may.',
  },
)

/** In whose name a work is applied. */
export interface ManifestWorkExecutor extends Read<typeof executor> {}
export interface ManifestWorkExecutorSubject extends Read<typeof subject> {}
