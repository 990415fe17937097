import {
  boolType,
  type CelType,
  compile,
  dynType,
  formatType,
  mapType,
  objectType,
  opaqueType,
  stringType,
  withData,
} from '@orrery/cel'
import type { JsonObject } from '@orrery/kinds'
import { fieldForbidden, fieldInvalid, fieldRequired, fieldTooLong } from '@orrery/kinds/values'
import type { Check } from '../check.js'
import { childOf, textOf } from '../read.js'

const MAX_EXPRESSION_BYTES = 10 * 1024
const MAX_COST = 1_000_000
/** The maximum number of attributes and capacities of a device. */
const MAX_ENTRIES = 32

const domainType = withData(stringType, { maxElements: 63 })
const identifierType = withData(stringType, { maxElements: 32 })

function byDomain(type: CelType): CelType {
  const ofDomain = mapType(identifierType, type, { maxElements: MAX_ENTRIES })
  return mapType(domainType, ofDomain, { maxElements: MAX_ENTRIES })
}

/** The CEL type of a device. */
const deviceType = objectType(
  'kubernetes.DRADevice',
  new Map(
    Object.entries({
      driver: domainType,
      attributes: byDomain(withData(dynType, { maxElements: 64 })),
      capacity: byDomain(opaqueType('kubernetes.Quantity')),
      allowMultipleAllocations: boolType,
    }).map(([name, type]) => [name, { name, type }]),
  ),
)

/** A device selector: a CEL expression over `device`. */
export const deviceSelector: Check = (value, at, errors) => {
  const cel = childOf(value as JsonObject, 'cel')
  if (cel === undefined) return void errors.push(fieldRequired(`${at}.cel`))
  const path = `${at}.cel.expression`
  const expression = textOf(cel, 'expression')
  if (Buffer.byteLength(expression) > MAX_EXPRESSION_BYTES) {
    return void errors.push(fieldTooLong(path, MAX_EXPRESSION_BYTES))
  }
  const compiled = compile(expression, { variables: { device: deviceType } })
  if (!compiled.ok) {
    const stage = compiled.stage === 'compilation' ? 'compilation' : 'instantiation'
    return void errors.push(fieldInvalid(path, expression, `${stage} failed: ${compiled.message}`))
  }
  const { outputType, estimatedCost } = compiled.program
  if (outputType.kind !== 'bool' && outputType.kind !== 'dyn') {
    const detail = `must evaluate to bool or the unknown type, not ${formatType(outputType)}`
    errors.push(fieldInvalid(path, expression, detail))
  } else if (estimatedCost > MAX_COST) {
    errors.push(fieldForbidden(path, 'too complex, exceeds cost limit'))
  }
}
