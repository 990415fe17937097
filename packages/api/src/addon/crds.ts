import type { CustomResourceConversion } from '@orrery/kinds'
import { HUB_NAMESPACE } from '../cluster/registration.js'
import { type CrdDraft, crdOf } from '../schema/index.js'
import { AddOnDeploymentConfig, AddOnDeploymentConfigV1Alpha1 } from './addon-deployment-config.js'
import { AddOnTemplate } from './addon-template.js'
import { ClusterManagementAddOn } from './cluster-management-addon.js'
import { ClusterManagementAddOnV1Alpha1 } from './cluster-management-addon-v1alpha1.js'
import { ManagedClusterAddOn } from './managed-cluster-addon.js'
import { ManagedClusterAddOnV1Alpha1 } from './managed-cluster-addon-v1alpha1.js'

/**
 * API servers without a built-in converter call the conversion webhook of the hub: without conversion, fields would be
 * lost silently. The installer of the CRDs sets the CA bundle.
 */
const conversion: CustomResourceConversion = {
  strategy: 'Webhook',
  webhook: {
    clientConfig: {
      service: { namespace: HUB_NAMESPACE, name: 'cluster-manager-addon-webhook', path: '/convert', port: 9443 },
    },
    conversionReviewVersions: ['v1', 'v1beta1'],
  },
}

/** The CRDs of add-ons. */
export function addOnCrds(): CrdDraft[] {
  return [
    crdOf([ClusterManagementAddOnV1Alpha1, ClusterManagementAddOn], conversion),
    crdOf([ManagedClusterAddOnV1Alpha1, ManagedClusterAddOn], conversion),
    crdOf([AddOnDeploymentConfigV1Alpha1, AddOnDeploymentConfig]),
    crdOf([AddOnTemplate]),
  ]
}
