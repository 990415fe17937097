import type { KubeObject } from '@orrery/kinds'
import type { Column } from '../kinds/resource.js'
import { AGE, column } from './column.js'
import { dig, sizeOf, spec, status, text } from './fields.js'

function stateOf(claim: KubeObject): string {
  const isDeleted = claim.metadata.deletionTimestamp !== undefined
  const { allocation, reservedFor } = status(claim)
  if (allocation === undefined) return isDeleted ? 'deleted' : 'pending'
  const states = [...(isDeleted ? ['deleted'] : []), 'allocated']
  return sizeOf(reservedFor) > 0 ? [...states, 'reserved'].join(',') : states.join(',')
}

export const RESOURCE_CLAIM_COLUMNS: readonly Column[] = [
  column('State', 'Whether it is pending, allocated, reserved or deleted.', stateOf),
  AGE,
]

export const RESOURCE_SLICE_COLUMNS: readonly Column[] = [
  column('Node', 'The node of the devices.', (object) => text(spec(object).nodeName)),
  column('Driver', 'The driver of the devices.', (object) => text(spec(object).driver)),
  column('Pool', 'The pool of the devices.', (object) => text(dig(spec(object).pool, 'name'))),
  AGE,
]
