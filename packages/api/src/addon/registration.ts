import { type Read, t } from '../schema/index.js'
import { kubeClientDriver } from './managed-cluster-addon-status.js'
import { certificateSubject, signerName, subjectFields, subjectV1Alpha1 } from './signer.js'

const kubeClient = t.object(
  {
    subject: t.optional(t.object(subjectFields, { description: 'Subject is the user and groups of the agent.' })),
    driver: t.optional(kubeClientDriver),
  },
  { description: 'KubeClient configures credentials for the API server of the hub. It is used if type is kubeClient.' },
)

const customSigner = t.object(
  { signerName, subject: t.optional(certificateSubject) },
  { description: 'CustomSigner configures a certificate of a custom signer. It is used if type is customSigner.' },
)

const registration = t.object(
  {
    type: t.enum(['kubeClient', 'customSigner'], {
      description:
        'Type is kubeClient for credentials of the API server of the hub, or customSigner for a certificate of a ' +
        'custom signer.',
    }),
    kubeClient: t.optional(kubeClient),
    customSigner: t.optional(customSigner),
  },
  { description: 'RegistrationConfig describes credentials of the agent.' },
)

const registrationV1Alpha1 = t.object(
  { signerName, subject: t.optional(subjectV1Alpha1) },
  { description: 'RegistrationConfig describes a certificate of the agent.' },
)

const LIST = { description: 'Registrations lists the credentials of the agent of the add-on.' }

/** The schema of the registrations of an add-on. */
export const registrations = t.array(registration, LIST)

/** The schema of the registrations of an add-on in v1alpha1. */
export const registrationsV1Alpha1 = t.array(registrationV1Alpha1, LIST)

/** Credentials of the agent of an add-on. */
export interface AddOnRegistration extends Read<typeof registration> {}
export interface KubeClientRegistration extends Read<typeof kubeClient> {}
export interface CustomSignerRegistration extends Read<typeof customSigner> {}
export interface AddOnRegistrationV1Alpha1 extends Read<typeof registrationV1Alpha1> {}
