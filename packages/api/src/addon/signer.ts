import { type Schema, t } from '../schema/index.js'

/** The schema of a signer name. */
export const signerName: Schema<string> = t.string({
  description: 'SignerName is the name of the signer, for example `example.com/signer`.',
  minLength: 5,
  maxLength: 571,
  pattern: '^([a-z0-9][a-z0-9-]*[a-z0-9]\\.)+[a-z]+\\/[a-z0-9-\\.]+$',
})

/** The fields of the subject of an agent. */
export const subjectFields = {
  user: t.optional(t.string({ description: 'User is the user name.' })),
  groups: t.optional(t.array(t.string(), { description: 'Groups lists the groups of the user.' })),
}

const organizationalUnits = t.optional(
  t.array(t.string(), { description: 'OrganizationUnits lists the organizational units of the certificate.' }),
)

/** The schema of the subject of an agent in v1alpha1. */
export const subjectV1Alpha1 = t.object(
  { ...subjectFields, organizationUnit: organizationalUnits },
  { description: 'Subject is the user, groups and organizational units of the certificate.' },
)

/** The schema of the subject of a certificate of a custom signer. */
export const certificateSubject = t.object(
  { ...subjectFields, organizationUnits: organizationalUnits },
  { description: 'Subject is the user, groups and organizational units of the certificate.' },
)
