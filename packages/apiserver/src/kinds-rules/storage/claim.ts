import type { JsonObject } from '@orrery/kinds'
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  isDNS1123Label,
  isDNS1123Subdomain,
} from '@orrery/kinds/values'
import { type Check, optionally, required, type StructCheck, strictlyOneOf, struct } from '../check.js'
import { labelSelector } from '../labels.js'
import { checkAmount, isPositive, positiveQuantity } from '../quantities.js'
import { childOf, sameValue, textOf, textsOf } from '../read.js'

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

/** The access modes of volumes and claims. */
export const accessModes: StructCheck = (spec, at, errors) => {
  const modes = textsOf(spec, 'accessModes')
  const path = `${at}.accessModes`
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) errors.push(fieldNotSupported(path, mode, ACCESS_MODES))
  const known = modes.filter((mode) => ACCESS_MODES.includes(mode))
  if (known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod')) {
    errors.push(fieldForbidden(path, 'may not use ReadWriteOncePod with other access modes'))
  }
}

export const volumeMode = strictlyOneOf('Block', 'Filesystem')

const requestedStorage: StructCheck = (spec, at, errors) => {
  const path = `${at}.resources[storage]`
  const storage = childOf(childOf(spec, 'resources'), 'requests')?.storage
  if (storage === undefined) errors.push(fieldRequired(path))
  else if (!isPositive(storage)) positiveQuantity(storage, path, errors)
  else checkAmount('storage', storage, path, errors)
}

const dataSource: Check = (value, at, errors) => {
  const source = value as JsonObject
  required()(source.name, `${at}.name`, errors)
  required()(source.kind, `${at}.kind`, errors)
  if (textOf(source, 'apiGroup') === '' && source.kind !== 'PersistentVolumeClaim') {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
    errors.push(fieldInvalid(at, textOf(source, 'kind'), detail))
  }
  optionally(isDNS1123Subdomain)(source.apiGroup, `${at}.apiGroup`, errors)
  optionally(isDNS1123Label)(source.namespace, `${at}.namespace`, errors)
}

const oneDataSource: StructCheck = (spec, at, errors) => {
  const source = childOf(spec, 'dataSource')
  const ref = childOf(spec, 'dataSourceRef')
  if (source === undefined || ref === undefined) return
  const report = (detail: string) => errors.push(fieldInvalid(at, `${at}.dataSource`, detail))
  if (textOf(ref, 'namespace') !== '') report('may not be specified when dataSourceRef.namespace is specified')
  else if (!sameValue(source, { ...ref, namespace: '' })) report('must match dataSourceRef')
}

/** The `spec` of a PersistentVolumeClaim, also in templates. */
export const claimSpec: StructCheck = struct({
  accessModes: required('at least 1 access mode is required'),
  'selector?': labelSelector,
  '.': [accessModes, requestedStorage],
  storageClassName: optionally(isDNS1123Subdomain),
  'volumeMode?': volumeMode,
  'dataSource?': dataSource,
  'dataSourceRef?': [dataSource],
  '. sources agree': oneDataSource,
  volumeAttributesClassName: optionally(isDNS1123Subdomain),
})
