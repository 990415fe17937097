import { type Schema, t } from '../schema/index.js'

/** The schema of the name of who signs certificates. */
export const signerName: Schema<string> = t.string({
  description: 'Who signs the certificates, such as `example.com/signer`.',
  minLength: 5,
  maxLength: 571,
  pattern: '^([a-z0-9][a-z0-9-]*[a-z0-9]\\.)+[a-z]+\\/[a-z0-9-\\.]+$',
})

/** The fields that say whom an agent identifies itself as. */
export const subjectFields = {
  user: t.optional(t.string({ description: 'The name.' })),
  groups: t.optional(t.array(t.string(), { description: 'The groups.' })),
}

const organizationalUnits = t.optional(t.array(t.string(), { description: 'The organisational units.' }))

/** The schema of whom an agent identifies itself as, as v1alpha1 spells it. */
export const subjectV1Alpha1 = t.object(
  { ...subjectFields, organizationUnit: organizationalUnits },
  { description: 'Whom the agent identifies itself as.' },
)

/** The schema of whom an agent identifies itself as to other servers than the hub's. */
export const certificateSubject = t.object(
  { ...subjectFields, organizationUnits: organizationalUnits },
  { description: 'Whom the agent identifies itself as.' },
)
