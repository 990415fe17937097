import type { JsonObject } from '@orrery/kinds'
import { fieldInvalid, fieldRequired, fieldTooLong, isConfigMapKey, keyPath } from '@orrery/kinds/values'
import { changes, frozen, immutable, type ObjectChange } from './change.js'
import { reportFormat, type StructCheck } from './check.js'
import { type KindRules, NAMESPACED } from './kind.js'
import { childOf, entriesOf, entryOf, flagOf, textOf } from './read.js'

const MAX_BYTES = 1024 * 1024
const FROZEN = 'field is immutable when `immutable` is set'
const ACCOUNT_NAME = 'kubernetes.io/service-account.name'

/** The required keys of the well-known Secret types. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
}

const JSON_KEYS: readonly string[] = ['.dockercfg', '.dockerconfigjson']

const secret: StructCheck = (object, _at, errors) => {
  let size = 0
  for (const [key, value] of entriesOf(object, 'data')) {
    reportFormat(isConfigMapKey, key, keyPath('data', key), errors)
    size += decodedLength(value as string)
  }
  if (size > MAX_BYTES) errors.push(fieldTooLong('data', MAX_BYTES))
  const type = textOf(object, 'type')
  const data = childOf(object, 'data')
  if (type === 'kubernetes.io/service-account-token') {
    if (!entryOf(childOf(childOf(object, 'metadata'), 'annotations'), ACCOUNT_NAME)) {
      errors.push(fieldRequired(keyPath('metadata.annotations', ACCOUNT_NAME)))
    }
  } else if (type === 'kubernetes.io/basic-auth') {
    if (entryOf(data, 'username') !== undefined || entryOf(data, 'password') !== undefined) return
    errors.push(fieldRequired('data[username]'), fieldRequired('data[password]'))
  }
  for (const key of Object.hasOwn(REQUIRED_KEYS, type) ? (REQUIRED_KEYS[type] ?? []) : []) {
    const value = entryOf(data, key)
    const path = keyPath('data', key)
    if (value === undefined || (key === 'ssh-privatekey' && value === '')) errors.push(fieldRequired(path))
    else if (JSON_KEYS.includes(key)) {
      const problem = jsonProblem(Buffer.from(value as string, 'base64').toString())
      if (problem !== undefined) errors.push(fieldInvalid(path, '<secret contents redacted>', problem))
    }
  }
}

/** Returns why a string is not a JSON object. The messages do not reveal the secret value. */
function jsonProblem(text: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text.trim() === '' ? 'unexpected end of JSON input' : 'invalid JSON'
  }
  if (typeof value === 'object' && !Array.isArray(value)) return undefined
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`
}

function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor((base64.length * 3) / 4) - padding
}

const configMap: StructCheck = (object, _at, errors) => {
  let size = 0
  const binary = childOf(object, 'binaryData')
  for (const [key, value] of entriesOf(object, 'data')) {
    const path = keyPath('data', key)
    reportFormat(isConfigMapKey, key, path, errors)
    if (entryOf(binary, key) !== undefined) {
      errors.push(fieldInvalid(path, key, 'duplicate of key present in binaryData'))
    }
    size += Buffer.byteLength(value as string)
  }
  for (const [key, value] of entriesOf(object, 'binaryData')) {
    reportFormat(isConfigMapKey, key, keyPath('binaryData', key), errors)
    size += decodedLength(value as string)
  }
  if (size > MAX_BYTES) errors.push(fieldTooLong('[]', MAX_BYTES))
}

/** Objects with `immutable: true` keep their data and this field. */
function keptWhenImmutable(...fields: readonly string[]): ObjectChange {
  const kept = changes(Object.fromEntries(fields.map((field) => [field, frozen(FROZEN)])))
  return (object: JsonObject, old: JsonObject, errors) => {
    if (!flagOf(old, 'immutable')) return
    frozen(FROZEN)(flagOf(object, 'immutable'), true, 'immutable', errors)
    kept(object, old, errors)
  }
}

export const secretRules: KindRules = {
  ...NAMESPACED,
  valid: secret,
  changesFirst: true,
  onUpdate: { '': changes({ type: immutable(), '.': keptWhenImmutable('data') }) },
}

export const configMapRules: KindRules = {
  ...NAMESPACED,
  valid: configMap,
  changesFirst: true,
  onUpdate: { '': keptWhenImmutable('data', 'binaryData') },
}
