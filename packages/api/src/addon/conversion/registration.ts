import { isObject, type JsonObject, type JsonValue } from '@orrery/kube'
import { KUBE_CLIENT_SIGNER } from '../../cluster/registration.js'
import { onlyFields, withFieldNamed } from './fields.js'

/**
 * Identities of an agent as v1beta1 has them: certificates of the signer of the API server's clients are what it calls
 * kubeClient, and the driver is with each of them. There is no room for the organisational units of those.
 */
export function registrationToV1Beta1({ signerName, subject }: JsonObject, driver: JsonValue | undefined): JsonObject {
  if (signerName === KUBE_CLIENT_SIGNER) {
    return {
      type: 'kubeClient',
      kubeClient: {
        ...(isObject(subject) && { subject: onlyFields(subject, ['user', 'groups']) }),
        ...(driver !== undefined && { driver }),
      },
    }
  }
  if (signerName === '') return { type: 'customSigner' }
  return {
    type: 'customSigner',
    customSigner: {
      ...(signerName !== undefined && { signerName }),
      ...(isObject(subject) && { subject: withFieldNamed(subject, 'organizationUnit', 'organizationUnits') }),
    },
  }
}

/** The reverse of `registrationToV1Beta1`, but for the driver. A custom signer that is not named is called by no name. */
export function registrationToV1Alpha1(registration: JsonObject): JsonObject {
  if (registration.type === 'kubeClient') {
    const subject = isObject(registration.kubeClient) ? registration.kubeClient.subject : undefined
    return { signerName: KUBE_CLIENT_SIGNER, ...(isObject(subject) && { subject }) }
  }
  const { signerName = '', subject } = isObject(registration.customSigner) ? registration.customSigner : {}
  return {
    signerName,
    ...(isObject(subject) && { subject: withFieldNamed(subject, 'organizationUnits', 'organizationUnit') }),
  }
}

/** How the agent identifies itself to the API server, which v1alpha1 says once for all identities. */
export function driverOf(registrations: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(registrations)) return undefined
  for (const item of registrations) {
    if (isObject(item) && item.type === 'kubeClient' && isObject(item.kubeClient)) return item.kubeClient.driver
  }
  return undefined
}
