import { type Read, t } from '../schema/index.js'
import { kubeClientDriver } from './managed-cluster-addon-status.js'
import { certificateSubject, signerName, subjectFields, subjectV1Alpha1 } from './signer.js'

const kubeClient = t.object(
  {
    subject: t.optional(t.object(subjectFields, { description: 'Whom the agent identifies itself as.' })),
    driver: t.optional(kubeClientDriver),
  },
  { description: 'For kubeClient.' },
)

const customSigner = t.object(
  { signerName, subject: t.optional(certificateSubject) },
  { description: 'For customSigner.' },
)

const registration = t.object(
  {
    type: t.enum(['kubeClient', 'customSigner'], {
      description: 'Whether the identity is for the API server of the hub, or for something else.',
    }),
    kubeClient: t.optional(kubeClient),
    customSigner: t.optional(customSigner),
  },
  { description: 'An identity that the agent of the add-on gets.' },
)

const registrationV1Alpha1 = t.object(
  { signerName, subject: t.optional(subjectV1Alpha1) },
  { description: 'A certificate that the agent of the add-on gets.' },
)

const LIST = { description: 'The identities that the agent of the add-on gets.' }

/** The schema of the identities that an agent gets. */
export const registrations = t.array(registration, LIST)

/** The schema of the identities that an agent gets, as v1alpha1 spells it. */
export const registrationsV1Alpha1 = t.array(registrationV1Alpha1, LIST)

/** An identity that the agent of an add-on gets. */
export interface AddOnRegistration extends Read<typeof registration> {}
export interface KubeClientRegistration extends Read<typeof kubeClient> {}
export interface CustomSignerRegistration extends Read<typeof customSigner> {}
export interface AddOnRegistrationV1Alpha1 extends Read<typeof registrationV1Alpha1> {}
