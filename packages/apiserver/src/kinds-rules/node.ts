import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  indexPath,
  isLabelValue,
  isQualifiedName,
} from '@orrery/kinds/values'
import type { ObjectChange } from './change.js'
import { reportFormat, type StructCheck, struct } from './check.js'
import { CLUSTER_WIDE, type KindRules } from './kind.js'
import { legacyCidr, parseCidr } from './network.js'
import { checkTaintEffect } from './pod/scheduling.js'
import { checkAmount } from './quantities.js'
import { childOf, entriesOf, sameValue, structsOf, textOf, textsOf } from './read.js'

/** Errors of taints have the path `metadata`, where taints once were an annotation. */
function checkTaints(node: JsonObject, errors: FieldError[]): void {
  const seen = new Set<string>()
  for (const [i, taint] of structsOf(childOf(node, 'spec'), 'taints').entries()) {
    const path = indexPath('metadata.taints', i)
    const key = textOf(taint, 'key')
    const value = textOf(taint, 'value')
    const effect = textOf(taint, 'effect')
    reportFormat(isQualifiedName, key, `${path}.key`, errors)
    const problems = isLabelValue(value)
    if (problems.length > 0) errors.push(fieldInvalid(`${path}.value`, value, problems.join(';')))
    checkTaintEffect(effect, `${path}.effect`, errors)
    if (seen.has(`${effect}/${key}`)) {
      const { reason, body } = fieldDuplicate(path, { Key: key, Value: value, Effect: effect, TimeAdded: null })
      errors.push({ reason, field: path, body: `${body}: taints must be unique by key and effect pair` })
    }
    seen.add(`${effect}/${key}`)
  }
}

function checkResources(node: JsonObject, errors: FieldError[]): void {
  for (const list of ['capacity', 'allocatable']) {
    for (const [name, value] of entriesOf(childOf(node, 'status'), list)) {
      checkAmount(name, value, `status.${list}.${name}`, errors)
    }
  }
}

const podNetworks: StructCheck = struct({
  'spec.podCIDRs[]': legacyCidr,
  '.': (node, _at, errors) => {
    const networks = textsOf(childOf(node, 'spec'), 'podCIDRs')
    const families = new Set(networks.map((network) => parseCidr(network)?.address.length))
    if (networks.length > 1 && (families.size < 2 || networks.length > 2)) {
      errors.push(fieldInvalid('spec.podCIDRs', networks, 'may specify no more than one CIDR for each IP family'))
    }
  },
})

const valid: StructCheck = (node, _at, errors) => {
  checkTaints(node, errors)
  checkResources(node, errors)
}

const changed: ObjectChange = (node, old, errors) => {
  const spec = childOf(node, 'spec')
  const before = childOf(old, 'spec')
  const seen = new Set<string>()
  for (const [i, address] of structsOf(childOf(node, 'status'), 'addresses').entries()) {
    const shown = { Type: textOf(address, 'type'), Address: textOf(address, 'address') }
    const key = JSON.stringify(shown)
    if (seen.has(key)) {
      errors.push(fieldDuplicate(indexPath('status.addresses', i), shown))
    }
    seen.add(key)
  }
  const networks = textsOf(before, 'podCIDRs')
  if (networks.length === 0) podNetworks(node, '', errors)
  else if (!sameValue(spec?.podCIDRs, before?.podCIDRs)) {
    errors.push(fieldForbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'))
  }
  const provider = textOf(before, 'providerID')
  if (provider !== '' && textOf(spec, 'providerID') !== provider) {
    errors.push(fieldForbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'))
  }
}

export const nodeRules: KindRules = {
  ...CLUSTER_WIDE,
  valid,
  onCreate: podNetworks,
  onUpdate: {
    '': changed,
    status: (node, old, errors) => {
      valid(node, '', errors)
      changed(node, old, errors)
    },
  },
}
