import {
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  isDNS1123Label,
  isDNS1123Subdomain,
  isLabelValue,
  isQualifiedName,
} from '@orrery/kinds/values'
import { type Check, formatted, named, reportFormat } from '../check.js'
import { csiDriverName } from '../storage/sources.js'

const MAX_POOL_NAME = 253
const MAX_IDENTIFIER = 32

/** Drivers are named like CSI drivers. */
export const driverName = csiDriverName
export const deviceName: Check = formatted(isDNS1123Label)
export const requestName: Check = formatted(isDNS1123Label)
export const className: Check = named(isDNS1123Subdomain)
export const counterName: Check = named(isDNS1123Label)
export const labelName: Check = formatted(isQualifiedName)
export const labelValue: Check = formatted(isLabelValue)

/** One or more subdomains separated by slashes. */
export const poolName: Check = (value, at, errors) => {
  const name = typeof value === 'string' ? value : ''
  if (name === '') return void errors.push(fieldRequired(at))
  if (Buffer.byteLength(name) > MAX_POOL_NAME) errors.push(fieldTooLong(at, MAX_POOL_NAME))
  for (const part of name.split('/')) reportFormat(isDNS1123Subdomain, part, at, errors)
}

const C_IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/
const NO_C_IDENTIFIER =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')"

const identifier: Check = (value, at, errors) => {
  const id = String(value)
  if (Buffer.byteLength(id) > MAX_IDENTIFIER) errors.push(fieldTooLong(at, MAX_IDENTIFIER))
  if (!C_IDENTIFIER.test(id)) errors.push(fieldInvalid(at, id, NO_C_IDENTIFIER))
}

/** The name of an attribute or a capacity: a C identifier, optionally with the domain of a driver. */
export const qualifiedName: Check = (value, at, errors) => {
  const parts = String(value).split('/')
  if (parts.length === 1) return identifier(parts[0], at, errors)
  // Kubernetes does not refuse names with more parts either.
  if (parts.length > 2) return
  const [domain, id] = parts
  if (domain === '') errors.push(fieldInvalid(at, '', 'the domain must not be empty'))
  else driverName(domain, at, errors)
  if (id === '') errors.push(fieldInvalid(at, '', 'the name must not be empty'))
  else identifier(id, at, errors)
}

export const fullyQualifiedName: Check = (value, at, errors) => {
  qualifiedName(value, at, errors)
  if (String(value).includes('/')) return
  errors.push(fieldInvalid(at, value, 'a fully qualified name must be a domain and a name separated by a slash'))
}

const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const shareId: Check = (value, at, errors) => {
  const uid = String(value)
  if (UID.test(uid)) return
  const form = 'RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters'
  errors.push(fieldInvalid(at, uid, `uid must be in ${form}`))
}
