import { type CrdDraft, crdOf } from '@orrery/api/schema'
import { Catalog } from './catalog.js'
import { Operation } from './operation.js'
import { Organization } from './organization.js'
import { Template } from './template.js'
import { VirtualDataCenter } from './virtual-data-center.js'
import { VirtualMachineRequest } from './virtual-machine-request.js'
import { Zone } from './zone.js'

/** The CRDs of OVIM on a hub. */
export function ovimCrds(): CrdDraft[] {
  return [
    crdOf([Organization]),
    crdOf([VirtualDataCenter]),
    crdOf([Catalog]),
    crdOf([Template]),
    crdOf([VirtualMachineRequest]),
    crdOf([Operation]),
    crdOf([Zone]),
  ]
}
