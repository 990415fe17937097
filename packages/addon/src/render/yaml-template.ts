import type { JsonObject, JsonValue } from '@orrery/kinds'
import {
  compileJsonTemplate,
  isObject,
  joinTexts,
  splitTemplate,
  TemplateError,
  type TextRenderer,
} from '@orrery/kinds/values'
import { parseAllDocuments, Scalar, visit } from 'yaml'
import type { Manifest } from '../agent-addon.js'
import { type Expression, parseExpression, textOf } from './expression.js'

/** Renders the objects of a YAML template. */
export type YamlTemplate = (scope: JsonObject) => Manifest[]

// Characters for private use stand for expressions while YAML is parsed: YAML reads unquoted braces as an object.
const OPEN = '\uE000'
const CLOSE = '\uE001'
/** Begins a text that was not quoted in YAML. */
const PLAIN = '\uE002'
const RESERVED = /[\uE000-\uE002]/
const PLACEHOLDER = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g')

/**
 * Compiles YAML with expressions in double braces: one or more documents, with one object each. The document is parsed before values
 * are set, so a value can never change the structure of an object. An expression that is the whole of an unquoted value may be an
 * object, a list, a number or a boolean. Documents without a kind are skipped.
 */
export function compileYaml(text: string, name = 'template'): YamlTemplate {
  if (RESERVED.test(text)) throw new TemplateError(`${name}: the characters U+E000 to U+E002 are reserved`)
  const expressions: string[] = []
  const parts = splitTemplate(text, (from, start) => {
    const end = endOf(from, start, name)
    expressions.push(from.slice(start, end))
    return { expression: { index: expressions.length - 1 }, end: end + 2 }
  })
  const yaml = (parts ?? [text])
    .map((part) => (typeof part === 'string' ? part : `${OPEN}${part.index}${CLOSE}`))
    .join('')
  const restored = (value: string) => value.replace(PLACEHOLDER, (_, index) => `{{${expressions[Number(index)]}}}`)
  const documents = readDocuments(yaml, name, restored)
  const renders = documents.map((document, index) => {
    const path = documents.length === 1 ? name : `${name}[${index}]`
    const compiled = compileJsonTemplate(document, path, compileText, { keys: true })
    return (scope: JsonObject) => (compiled === undefined ? document : compiled(scope))
  })
  return (scope) => renders.map((render) => render(scope)).filter(isManifest)
}

function readDocuments(yaml: string, name: string, restored: (text: string) => string): JsonValue[] {
  const documents = parseAllDocuments(yaml, { version: '1.2' })
  if (!Array.isArray(documents)) return []
  return documents.map((document) => {
    const [error] = document.errors
    if (error !== undefined) throw new TemplateError(`${name}: ${restored(error.message)}`)
    visit(document, {
      Scalar(key, node) {
        if (typeof node.value !== 'string' || !node.value.includes(OPEN)) return undefined
        const isPlain = node.type === Scalar.PLAIN && key !== 'key'
        node.value = `${isPlain ? PLAIN : ''}${restored(node.value)}`
        return undefined
      },
    })
    return document.toJS() as JsonValue
  })
}

function compileText(text: string): TextRenderer<JsonObject> | undefined {
  const isPlain = text.startsWith(PLAIN)
  const parts = splitTemplate(isPlain ? text.slice(1) : text, (from, start) => {
    const end = endOf(from, start)
    return { expression: parseExpression(from.slice(start, end)), end: end + 2 }
  })
  if (parts === undefined) return undefined
  const [only] = parts
  if (isPlain && parts.length === 1 && typeof only === 'object') {
    return (scope) => {
      const value = only.evaluate(scope)
      return typeof value === 'string' ? plainValue(value) : value
    }
  }
  const join = (scope: JsonObject) => joinTexts(parts.map((part) => partOf(part, scope)))
  return isPlain ? (scope) => plainValue(join(scope)) : join
}

function partOf(part: string | Expression, scope: JsonObject): string {
  if (typeof part === 'string') return part
  const value = part.evaluate(scope)
  return value === undefined ? '' : textOf(value)
}

const NUMBER = /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?$/

/** An unquoted text as YAML reads it: variables are texts, and `replicas: {{ .Replicas }}` has to be a number. */
function plainValue(text: string): JsonValue {
  if (text === 'true' || text === 'false') return text === 'true'
  return NUMBER.test(text) ? Number(text) : text
}

/** Where the braces of an expression close: those in its quotes do not count. */
function endOf(text: string, start: number, name = 'template'): number {
  const CLOSING = /"(?:[^"\\\n]|\\.)*"|`[^`]*`|\}\}/g
  CLOSING.lastIndex = start
  for (let found = CLOSING.exec(text); found !== null; found = CLOSING.exec(text)) {
    if (found[0] === '}}') return found.index
  }
  throw new TemplateError(`${name}: {{${text.slice(start, start + 40)} has no closing braces`)
}

function isManifest(value: JsonValue | undefined): value is JsonObject & Manifest {
  return isObject(value) && typeof value.kind === 'string' && value.kind !== ''
}
