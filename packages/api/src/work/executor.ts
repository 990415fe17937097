import { type Read, t } from '../schema/index.js'

const NAME = {
  minLength: 1,
  maxLength: 253,
  pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$',
}

const serviceAccount = t.object(
  {
    namespace: t.string({ description: 'Namespace is the namespace of the service account.', ...NAME }),
    name: t.string({ description: 'Name is the name of the service account.', ...NAME }),
  },
  { description: 'ServiceAccount is a service account of the managed cluster. It is used if type is ServiceAccount.' },
)

const subject = t.object(
  {
    type: t.enum(['ServiceAccount'], {
      description: 'Type is the type of the subject. Only ServiceAccount is supported.',
    }),
    serviceAccount: t.optional(serviceAccount),
  },
  { description: 'Subject is the account whose permissions are used.' },
)

/** The schema of the executor of a work. */
export const executor = t.object(
  { subject: t.optional(subject) },
  {
    description:
      'Executor is the account whose permissions limit this ManifestWork. The agent applies and reads objects ' +
      'only if the account is permitted to. Setting it requires the verb execute-as for the account. Defaults ' +
      "to the agent's own permissions.",
  },
)

/** The account whose permissions limit a work. */
export interface ManifestWorkExecutor extends Read<typeof executor> {}
export interface ManifestWorkExecutorSubject extends Read<typeof subject> {}
