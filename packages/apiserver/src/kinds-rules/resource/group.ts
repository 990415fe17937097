import { fieldInvalid } from '@orrery/kinds/values'
import { changes, immutable } from '../change.js'
import { type StructCheck, struct } from '../check.js'
import { CLUSTER_WIDE, type GroupRules, NAMESPACED } from '../kind.js'
import { annotationMap, labelMap } from '../labels.js'
import { isExtendedResource } from '../quantities.js'
import { textOf } from '../read.js'
import { deviceClaim, deviceConfiguration, deviceSelectors, MAX_CONFIGS } from './claim.js'
import { claimStatus } from './claim-status.js'
import { checkItems } from './lists.js'
import { resourceSlice, sliceKept } from './slice.js'

const classSpec: StructCheck = (spec, at, errors) => {
  deviceSelectors(spec, at, errors)
  checkItems(spec, 'config', at, MAX_CONFIGS, deviceConfiguration, errors)
  const name = textOf(spec, 'extendedResourceName')
  if (name === '' || isExtendedResource(name)) return
  errors.push(fieldInvalid(`${at}.extendedResourceName`, name, 'must be a valid extended resource name'))
}

/** Dynamic resource allocation: devices and claims. */
export const resourceGroup: GroupRules = {
  DeviceClass: { ...CLUSTER_WIDE, valid: struct({ spec: classSpec }) },
  ResourceClaim: {
    ...NAMESPACED,
    valid: struct({ 'spec.devices': deviceClaim }),
    revalidated: false,
    onUpdate: { '': changes({ spec: immutable() }), status: claimStatus },
  },
  ResourceClaimTemplate: {
    ...NAMESPACED,
    valid: struct({
      'spec.metadata.labels': labelMap,
      'spec.metadata.annotations': annotationMap,
      'spec.spec.devices': deviceClaim,
    }),
    onUpdate: { '': changes({ spec: immutable() }) },
  },
  ResourceSlice: { ...CLUSTER_WIDE, valid: resourceSlice, onUpdate: { '': sliceKept } },
}
