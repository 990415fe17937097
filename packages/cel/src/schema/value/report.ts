import type { JsonValue } from '@orrery/kinds'
import { childPath } from '@orrery/kinds/values'
import type { Correlation } from '../correlation.js'
import { type CountLimits, fitsRange, type NumberBounds, type TextLimits } from '../keywords.js'
import type { Junctors, SchemaNode } from '../schema-tree.js'
import { acceptsType } from './accept.js'
import { Report } from './findings.js'
import { exceeds, fallsShort, isChoice, isMultiple, textProblem, typeOf } from './kinds.js'

/**
 * Reports all errors of a value. With the value it replaces (`correlation`), unchanged parts are ignored (ratcheting,
 * KEP-4008); branches of anyOf, oneOf and allOf are checked without ratcheting.
 */
export function report(schema: SchemaNode, value: JsonValue, path: string, correlation?: Correlation): Report {
  const result = new Report()
  if (value === null) {
    reportNull(schema, path, result)
    return result
  }
  if (schema.types.length > 0 || schema.format !== '') reportType(schema, value, path, result)
  if (schema.junctors) reportJunctors(schema.junctors, value, path, result)
  result.matches += 2
  if (typeof value === 'string') reportText(schema, value, path, result)
  if (typeof value === 'number') reportNumber(schema, value, path, result)
  if (Array.isArray(value)) reportItems(schema, value, path, result, correlation)
  reportChoice(schema, value, path, result)
  if (typeof value === 'object' && !Array.isArray(value)) reportFields(schema, value, path, result, correlation)
  result.matches++
  return result
}

/** `report` for a part of a value: nothing if the part is unchanged. */
function reportPart(schema: SchemaNode, value: JsonValue, path: string, part: Correlation | undefined): Report {
  const result = report(schema, value, path, part)
  if (result.isValid || !part?.unchanged) return result
  const tolerated = new Report()
  tolerated.matches = result.matches
  return tolerated
}

/** Reports errors of the changes in a value: an unchanged value has none. */
export function reportUpdate(schema: SchemaNode, value: JsonValue, correlation: Correlation): Report {
  return reportPart(schema, value, '', correlation)
}

function reportNull(schema: SchemaNode, path: string, result: Report): void {
  if (schema.types.length > 0 && !schema.nullable) addType(path, schema.types.join(','), 'null', result)
  else result.matches++
  if (!isChoice(null, schema)) addChoice(schema, null, path, result)
}

function reportType(schema: SchemaNode, value: Exclude<JsonValue, null>, path: string, result: Report): void {
  result.matches++
  if (acceptsType(schema, value)) {
    result.matches++
    return
  }
  const type = typeOf(value)
  const hasContent = typeof value === 'string' || Array.isArray(value)
  if (schema.format !== '' && !hasContent) addType(path, schema.format, numberFormat(type), result)
  else addType(path, schema.types.join(','), type, result)
}

function numberFormat(type: string): string {
  if (type === 'integer') return 'int64'
  return type === 'number' ? 'float64' : ''
}

function addType(path: string, wanted: string, found: string, result: Report): void {
  const message = `${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`
  result.add({ problem: 'type', name: path, message, value: found })
}

function reportJunctors(junctors: Junctors, value: JsonValue, path: string, result: Report): void {
  const { anyOf, oneOf, allOf, not } = junctors
  if (anyOf.length > 0) reportAnyOf(anyOf, value, path, result)
  if (oneOf.length > 0) reportOneOf(oneOf, value, path, result)
  if (allOf.length > 0) reportAllOf(allOf, value, path, result)
  if (not && report(not, value, path).isValid) {
    addGeneral(`${JSON.stringify(path)} must not validate the schema (not)`, result)
  }
}

function reportAnyOf(branches: readonly SchemaNode[], value: JsonValue, path: string, result: Report): void {
  let best: Report | undefined
  for (const branch of branches) {
    const outcome = report(branch, value, path)
    if (outcome.isValid) {
      result.merge(outcome)
      return
    }
    if (best === undefined || outcome.matches > best.matches) best = outcome
  }
  addGeneral(`${JSON.stringify(path)} must validate at least one schema (anyOf)`, result)
  result.merge(best as Report)
}

function reportOneOf(branches: readonly SchemaNode[], value: JsonValue, path: string, result: Report): void {
  let best: Report | undefined
  let first: Report | undefined
  let valid = 0
  for (const branch of branches) {
    const outcome = report(branch, value, path)
    if (outcome.isValid) {
      valid++
      first ??= outcome
    } else if (best === undefined || outcome.matches > best.matches) {
      best = outcome
    }
  }
  if (valid === 1) {
    result.merge(first as Report)
    return
  }
  const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
  addGeneral(`${JSON.stringify(path)} must validate one and only one schema (oneOf). ${found}`, result)
  if (valid === 0) result.merge(best as Report)
}

function reportAllOf(branches: readonly SchemaNode[], value: JsonValue, path: string, result: Report): void {
  let valid = 0
  for (const branch of branches) {
    const outcome = report(branch, value, path)
    if (outcome.isValid) valid++
    result.merge(outcome)
  }
  if (valid === branches.length) return
  const none = valid === 0 ? '. None validated' : ''
  addGeneral(`${JSON.stringify(path)} must validate all the schemas (allOf)${none}`, result)
}

function addGeneral(message: string, result: Report): void {
  result.add({ problem: 'general', name: '', message })
}

function reportText(
  { text: limits, format, formatCheck }: SchemaNode,
  text: string,
  path: string,
  result: Report,
): void {
  result.matches++
  if (limits !== undefined) reportTextLimits(limits, text, path, result)
  if (formatCheck === undefined) return
  result.matches++
  if (!formatCheck(text)) addType(path, format, text, result)
}

function reportTextLimits(limits: TextLimits, text: string, path: string, result: Report): void {
  const { maxLength, minLength, pattern } = limits
  switch (textProblem(text, limits)) {
    case 'maxLength':
      result.add({
        problem: 'tooLong',
        name: path,
        message: `${path} in body should be at most ${maxLength} chars long`,
        limit: maxLength,
      })
      break
    case 'minLength':
      addInvalid(path, `should be at least ${minLength} chars long`, text, result)
      break
    case 'pattern':
      addInvalid(path, `should match '${pattern?.source}'`, text, result)
  }
}

function addInvalid(path: string, what: string, value: JsonValue, result: Report): void {
  result.add({ problem: 'invalid', name: path, message: `${path} in body ${what}`, value })
}

function reportNumber(schema: SchemaNode, value: number, path: string, result: Report): void {
  result.matches += 2
  const bounds = schema.number
  if (bounds === undefined) return
  reportRange('Checked', value, bounds, schema.format, path, result)
  const { multipleOf, minimum, maximum } = bounds
  if (multipleOf !== undefined) {
    reportRange('MultipleOf', multipleOf, bounds, schema.format, path, result)
    if (multipleOf <= 0) {
      const message = `factor MultipleOf declared for ${path} must be positive: ${goNumber(multipleOf)}`
      result.add({ problem: 'invalid', name: path, message, value: multipleOf })
    } else if (!isMultiple(value, multipleOf)) {
      addInvalid(path, `should be a multiple of ${goNumber(multipleOf)}`, value, result)
    }
  }
  if (minimum !== undefined) {
    reportRange('Minimum boundary', minimum, bounds, schema.format, path, result)
    const than = bounds.exclusiveMinimum ? 'greater than' : 'greater than or equal to'
    if (fallsShort(value, bounds)) addInvalid(path, `should be ${than} ${goNumber(minimum)}`, value, result)
  }
  if (maximum !== undefined) {
    reportRange('Maximum boundary', maximum, bounds, schema.format, path, result)
    const than = bounds.exclusiveMaximum ? 'less than' : 'less than or equal to'
    if (exceeds(value, bounds)) addInvalid(path, `should be ${than} ${goNumber(maximum)}`, value, result)
  }
}

function reportRange(
  what: string,
  value: number,
  bounds: NumberBounds,
  format: string,
  path: string,
  result: Report,
): void {
  if (fitsRange(value, bounds.type, format)) return
  const named = format === '' ? '(default format)' : `with format ${format}`
  addGeneral(`${what} value must be of type ${bounds.type} ${named} in ${path}`, result)
}

/** Numbers as Go prints them: two digits of exponent, and only for large ones. */
function goNumber(value: number): string {
  const magnitude = Math.abs(value)
  if (magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e21)) return String(value)
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
}

function reportItems(
  schema: SchemaNode,
  items: JsonValue[],
  path: string,
  result: Report,
  correlation: Correlation | undefined,
): void {
  if (schema.items) {
    for (const [index, item] of items.entries()) {
      if (result.isFull) break
      result.merge(reportPart(schema.items, item, `${path}[${index}]`, correlation?.item(index)))
    }
  }
  if (schema.itemLimits) reportCount(schema.itemLimits, items.length, 'items', path, result)
  result.matches += 2
}

function reportCount(limits: CountLimits, count: number, noun: string, path: string, result: Report): void {
  const { minimum, maximum } = limits
  if (count < minimum) addInvalid(path, `should have at least ${minimum} ${noun}`, count, result)
  if (count > maximum) {
    const message = `${path} in body should have at most ${maximum} ${noun}`
    result.add({ problem: 'tooMany', name: path, message, value: count, limit: maximum })
  }
}

function reportChoice(schema: SchemaNode, value: JsonValue, path: string, result: Report): void {
  result.matches++
  if (!isChoice(value, schema)) addChoice(schema, value, path, result)
}

function addChoice(schema: SchemaNode, value: JsonValue, path: string, result: Report): void {
  const choices = schema.choices?.values ?? []
  // The choices are listed once, where the finding becomes an error: there can be thousands of each.
  const message = `${path} in body should be one of its supported values`
  result.add({ problem: 'enum', name: path, message, value, choices })
}

function reportFields(
  schema: SchemaNode,
  object: { [key: string]: JsonValue },
  path: string,
  result: Report,
  correlation: Correlation | undefined,
): void {
  result.matches++
  const keys = Object.keys(object)
  if (schema.propertyLimits) reportCount(schema.propertyLimits, keys.length, 'properties', path, result)
  for (const key of keys) {
    if (result.isFull) break
    if (schema.properties.has(key)) continue
    if (schema.closed) {
      const message = `${childOf(path, key)} in body is a forbidden property`
      result.add({ problem: 'invalid', name: path, message, value: key })
    } else if (schema.additional) {
      const value = object[key] as JsonValue
      result.merge(reportPart(schema.additional, value, childOf(path, key), partOf(correlation, path, key)))
    }
  }
  for (const [name, property] of schema.properties) {
    if (!Object.hasOwn(object, name)) continue
    const at = path === '' ? name : `${path}.${name}`
    result.merge(reportPart(property, object[name] as JsonValue, at, partOf(correlation, path, name)))
  }
  for (const name of schema.required) {
    if (Object.hasOwn(object, name)) continue
    result.add({ problem: 'required', name: `${path}.${name}`, message: `${path}.${name} in body is required` })
  }
}

/** A path below the root begins with a dot. Long ones are shortened: a key can have megabytes. */
function childOf(path: string, key: string): string {
  return path === '' ? `.${childPath('', key)}` : childPath(path, key)
}

/** `apiVersion` and `kind` of the object itself are those of the request, whatever was stored. */
function partOf(correlation: Correlation | undefined, path: string, key: string): Correlation | undefined {
  if (path === '' && (key === 'kind' || key === 'apiVersion')) return undefined
  return correlation?.field(key)
}
