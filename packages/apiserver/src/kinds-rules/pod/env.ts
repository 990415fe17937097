import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldInvalid,
  indexPath,
  isConfigMapKey,
  isDNS1123Label,
  isDNS1123Subdomain,
  isRelaxedEnvVarName,
  withoutTrailingDash,
} from '@orrery/kinds/values'
import { type Format, formatted, named, optionally, required, type StructCheck, struct } from '../check.js'
import { noBacksteps } from '../paths.js'
import { childOf, structsOf, textOf } from '../read.js'
import { ENV_FIELDS, fieldRef, resourceFieldRef } from './field-ref.js'

const keyRef = struct({ name: formatted(isDNS1123Subdomain), key: named(isConfigMapKey) })

const fileKeyRef = struct({
  key: named(isRelaxedEnvVarName),
  volumeName: named(isDNS1123Label),
  path: [
    required(),
    (value, at, errors) => {
      if (typeof value === 'string') noBacksteps(value, at, errors)
    },
  ],
})

const SOURCES: readonly (readonly [string, StructCheck])[] = [
  ['fieldRef', fieldRef(ENV_FIELDS)],
  ['resourceFieldRef', resourceFieldRef(false)],
  ['configMapKeyRef', keyRef],
  ['secretKeyRef', keyRef],
  ['fileKeyRef', fileKeyRef],
]

/** `env` of a container. */
export const environment: StructCheck = struct({
  'env[].name': named(isRelaxedEnvVarName),
  'env[]': (variable: JsonObject, at: string, errors: FieldError[]) =>
    checkValueFrom(variable, `${at}.valueFrom`, errors),
})

function checkValueFrom(variable: JsonObject, at: string, errors: FieldError[]): void {
  const from = childOf(variable, 'valueFrom')
  if (from === undefined) return
  let sources = 0
  for (const [name, check] of SOURCES) {
    const source = childOf(from, name)
    if (source === undefined) continue
    sources++
    check(source, `${at}.${name}`, errors)
  }
  const report = (detail: string) => errors.push(fieldInvalid(at, '', detail))
  if (sources === 0) {
    report('must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`')
  } else if (textOf(variable, 'value') !== '') report('may not be specified when `value` is not empty')
  else if (sources > 1) report('may not have more than one field specified at a time')
}

const sourceName: Format = (name) => isDNS1123Subdomain(withoutTrailingDash(name))

/** `envFrom` of a container. Errors about the number of sources have the path of the list, not of the item. */
export const environmentFrom: StructCheck = (container, at, errors) => {
  const list = `${at}.envFrom`
  for (const [i, from] of structsOf(container, 'envFrom').entries()) {
    const path = indexPath(list, i)
    optionally(isRelaxedEnvVarName)(from.prefix, `${path}.prefix`, errors)
    const sources = ['configMapRef', 'secretRef'].filter((name) => childOf(from, name) !== undefined)
    for (const name of sources) named(sourceName)(childOf(from, name)?.name, `${path}.${name}.name`, errors)
    if (sources.length === 0) errors.push(fieldInvalid(list, '', 'must specify one of: `configMapRef` or `secretRef`'))
    if (sources.length > 1) {
      errors.push(fieldInvalid(list, '', 'may not have more than one field specified at a time'))
    }
  }
}
