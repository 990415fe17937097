import { Correlation, type SchemaNode, uniquenessErrors, valueErrors } from '@orrery/cel/schema'
import type { JsonObject } from '@orrery/kinds'
import { addAll, type FieldError, getOwn } from '@orrery/kinds/values'
import { embeddedErrors } from './embedded.js'
import { type CompiledRules, compileRules } from './rules/compiled-rules.js'
import { rulesErrors } from './rules/evaluate.js'
import type { CustomScale } from './scale.js'

/** Errors that prevent the evaluation of rules, which rely on the types and sizes of the schema. */
const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

const NOT_ALL_CHECKED: FieldError = {
  reason: 'FieldValueInvalid',
  field: '',
  body: 'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
}

/**
 * Validates objects against the schema of a version: values, embedded resources, lists, and rules last. Errors are
 * added to those found before.
 */
export class ObjectValidator {
  readonly #node: SchemaNode
  readonly #scale: CustomScale | undefined
  readonly #rules: CompiledRules | undefined

  constructor(node: SchemaNode, scale: CustomScale | undefined) {
    this.#node = node
    this.#scale = scale
    this.#rules = compileRules(node)
  }

  validate(object: JsonObject, old: JsonObject | undefined, errors: FieldError[] = []): FieldError[] {
    const correlation = old && new Correlation(this.#node, object, old)
    addAll(errors, valueErrors(this.#node, object, '', correlation))
    if (this.#scale) addAll(errors, this.#scale.validate(object, 'all'))
    // The object is a resource too, but the caller validates its metadata.
    if (this.#node.embeddedBelow) addAll(errors, embeddedErrors(object, this.#node, ''))
    if (this.#node.uniqueBelow) addAll(errors, this.#uniquenessErrors(object, old))
    this.#checkRules(object, old, correlation, errors)
    return errors
  }

  validateStatus(object: JsonObject, old: JsonObject, errors: FieldError[] = []): FieldError[] {
    const correlation = new Correlation(this.#node, object, old)
    const status = getOwn(object, 'status')
    const schema = this.#node.properties.get('status')
    if (status !== undefined && schema) {
      addAll(errors, valueErrors(schema, status, 'status', correlation.field('status')))
    }
    if (this.#scale) addAll(errors, this.#scale.validate(object, 'status'))
    if (this.#node.uniqueBelow) addAll(errors, this.#uniquenessErrors(object, old))
    this.#checkRules(object, old, correlation, errors)
    return errors
  }

  /** Lists that had duplicates before may keep them. */
  #uniquenessErrors(object: JsonObject, old: JsonObject | undefined): FieldError[] {
    const errors = uniquenessErrors(object, this.#node, '')
    if (errors.length === 0 || old === undefined) return errors
    return uniquenessErrors(old, this.#node, '').length === 0 ? errors : []
  }

  #checkRules(
    object: JsonObject,
    old: JsonObject | undefined,
    correlation: Correlation | undefined,
    errors: FieldError[],
  ): void {
    if (!this.#rules) return
    if (errors.some((error) => BLOCKING.has(error.reason))) errors.push(NOT_ALL_CHECKED)
    else addAll(errors, rulesErrors(this.#rules, this.#node, object, old, correlation))
  }
}
