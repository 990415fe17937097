import type { JsonObject, KubeObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { INSTALL_NAMESPACE } from '../managed-cluster-addon-v1alpha1.js'
import { INSTALL_NAMESPACE_ANNOTATION } from '../names.js'
import { withField, withItems } from './fields.js'
import { driverOf, registrationToV1Alpha1, registrationToV1Beta1 } from './registration.js'

const NAMESPACE = new RegExp(INSTALL_NAMESPACE.pattern)

/**
 * A ManagedClusterAddOn of v1alpha1 as v1beta1 has it, but for its `apiVersion`. What becomes of the fields:
 *
 * | v1alpha1                                  | v1beta1                                                            |
 * |-------------------------------------------|--------------------------------------------------------------------|
 * | spec.installNamespace                     | annotation `addon.open-cluster-management.io/v1alpha1-install-…`   |
 * | status.addOnConfiguration                 | none: it is lost                                                   |
 * | status.configReferences[].name, namespace | none: they repeat those of `desiredConfig`                         |
 * | status.registrations                      | status.registrations with a type                                   |
 * | status.kubeClientDriver                   | `driver` of each registration of the type kubeClient               |
 */
export function managedClusterAddOnToV1Beta1(addOn: KubeObject): KubeObject {
  const installNamespace = isObject(addOn.spec) ? addOn.spec.installNamespace : undefined
  const converted = withField(withField(addOn, 'spec', specToV1Beta1), 'status', statusToV1Beta1)
  if (typeof installNamespace !== 'string' || installNamespace === '') return converted
  const annotations = { ...addOn.metadata.annotations, [INSTALL_NAMESPACE_ANNOTATION]: installNamespace }
  return { ...converted, metadata: { ...addOn.metadata, annotations } }
}

/** The reverse of `managedClusterAddOnToV1Beta1`. An annotation with an invalid namespace stays an annotation. */
export function managedClusterAddOnToV1Alpha1(addOn: KubeObject): KubeObject {
  const converted = withField(addOn, 'status', statusToV1Alpha1)
  const { [INSTALL_NAMESPACE_ANNOTATION]: installNamespace, ...annotations } = addOn.metadata.annotations ?? {}
  if (installNamespace === undefined || !isNamespace(installNamespace)) return converted
  const { annotations: _, ...metadata } = addOn.metadata
  return {
    ...withField(converted, 'spec', (spec) => ({ ...spec, installNamespace })),
    metadata: { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) },
  }
}

function isNamespace(text: string): boolean {
  return text.length <= INSTALL_NAMESPACE.maxLength && NAMESPACE.test(text)
}

function specToV1Beta1({ installNamespace: _, ...spec }: JsonObject): JsonObject {
  return spec
}

function statusToV1Beta1({ addOnConfiguration: _, kubeClientDriver, ...status }: JsonObject): JsonObject {
  return withItems(
    withItems(status, 'registrations', (registration) => registrationToV1Beta1(registration, kubeClientDriver)),
    'configReferences',
    ({ name: _, namespace: __, ...reference }) => reference,
  )
}

function statusToV1Alpha1(status: JsonObject): JsonObject {
  const driver = driverOf(status.registrations)
  return {
    ...withItems(withItems(status, 'registrations', registrationToV1Alpha1), 'configReferences', namedReference),
    ...(driver !== undefined && { kubeClientDriver: driver }),
  }
}

/** A reference with the name that v1alpha1 requires. It is empty without a desired configuration. */
function namedReference(reference: JsonObject): JsonObject {
  const { namespace, name = '' } = isObject(reference.desiredConfig) ? reference.desiredConfig : {}
  return { ...reference, ...(namespace !== undefined && { namespace }), name }
}
