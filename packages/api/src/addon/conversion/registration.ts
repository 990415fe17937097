import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { KUBE_CLIENT_SIGNER } from '../../cluster/registration.js'
import { onlyFields, withFieldNamed } from './fields.js'

/**
 * Converts a registration to v1beta1. Certificates of the signer kubernetes.io/kube-apiserver-client become
 * kubeClient, with the driver in each registration. Their organizational units are lost.
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

/** The reverse of `registrationToV1Beta1`, without the driver. A missing signer name becomes empty. */
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

/** The driver of the kubeClient registrations, which v1alpha1 has once for all registrations. */
export function driverOf(registrations: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(registrations)) return undefined
  for (const item of registrations) {
    if (isObject(item) && item.type === 'kubeClient' && isObject(item.kubeClient)) return item.kubeClient.driver
  }
  return undefined
}
