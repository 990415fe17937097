import type { JsonObject, JsonValue } from '../object.js'
import { isObject, setOwn } from './json.js'

/** A template that is not valid. */
export class TemplateError extends Error {}

/** A template that cannot be rendered with some values. */
export class ValueError extends Error {}

/** Renders a text with values. Undefined leaves out the field or item that has it. */
export type TextRenderer<V> = (values: V) => JsonValue | undefined

/** Compiles the expressions of a text. Undefined if there are none. */
export type TextCompiler<V> = (text: string) => TextRenderer<V> | undefined

/**
 * The length of all texts that one template may render to: eight times the limit of the manifests of a work. A short template can name a
 * long value many times.
 */
const MAX_RENDERED_LENGTH = 4 * 1024 * 1024

/** Joins the parts of a text. Throws a `ValueError` before the text is longer than a template may render to. */
export function joinTexts(parts: readonly string[]): string {
  let length = 0
  for (const part of parts) length += part.length
  if (length > MAX_RENDERED_LENGTH) throw tooLong()
  return parts.join('')
}

function tooLong(): ValueError {
  return new ValueError(`the template renders to more than ${MAX_RENDERED_LENGTH} characters: use shorter values`)
}

export interface JsonTemplateOptions {
  /** Whether the names of fields have expressions too. Default false. */
  readonly keys?: boolean
}

/**
 * Compiles a value with expressions in its texts. Undefined if there are none: the value is the same for all. Errors have the
 * path of the text. Values are set as they are: a text in a value is never read as an expression or as a part of the document.
 */
export function compileJsonTemplate<V>(
  value: JsonValue | undefined,
  path: string,
  compileText: TextCompiler<V>,
  options: JsonTemplateOptions = {},
): TextRenderer<V> | undefined {
  let length = 0
  const compileCounted: TextCompiler<V> = (text) => {
    const render = compileText(text)
    return (
      render &&
      ((values) => {
        const rendered = render(values)
        if (typeof rendered === 'string') length += rendered.length
        if (length > MAX_RENDERED_LENGTH) throw tooLong()
        return rendered
      })
    )
  }
  const compile = (part: JsonValue | undefined, at: string): TextRenderer<V> | undefined => {
    if (typeof part === 'string') return compileAt(part, at, compileCounted)
    if (Array.isArray(part)) return compileItems(part, at, compile)
    if (!isObject(part)) return undefined
    const keys =
      options.keys === true ? (key: string) => compileAt(key, `${at}.${key}`, compileCounted) : () => undefined
    return compileFields(part, at, compile, keys)
  }
  const render = compile(value, path)
  return (
    render &&
    ((values) => {
      length = 0
      return render(values)
    })
  )
}

/** The texts and expressions of a text with expressions in double braces; undefined if there are none. */
export function splitTemplate<E>(
  text: string,
  parse: (text: string, start: number) => { readonly expression: E; readonly end: number },
): readonly (string | E)[] | undefined {
  let from = 0
  let at = text.indexOf('{{')
  if (at < 0) return undefined
  const parts: (string | E)[] = []
  while (at >= 0) {
    if (at > from) parts.push(text.slice(from, at))
    const { expression, end } = parse(text, at + 2)
    parts.push(expression)
    from = end
    at = text.indexOf('{{', end)
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

/** Adds the path to an error. */
export function located<T>(kind: typeof TemplateError | typeof ValueError, path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw error instanceof kind ? new kind(`${path}: ${error.message}`) : error
  }
}

type Compile<V> = (part: JsonValue | undefined, at: string) => TextRenderer<V> | undefined

function compileAt<V>(text: string, path: string, compileText: TextCompiler<V>): TextRenderer<V> | undefined {
  const render = located(TemplateError, path, () => compileText(text))
  return render && ((values) => located(ValueError, path, () => render(values)))
}

function compileItems<V>(items: readonly JsonValue[], path: string, compile: Compile<V>): TextRenderer<V> | undefined {
  const renders = items.map((item, index) => compile(item, `${path}[${index}]`))
  if (renders.every((render) => render === undefined)) return undefined
  return (values) =>
    items
      .map((item, index) => {
        const render = renders[index]
        return render === undefined ? item : render(values)
      })
      .filter((item) => item !== undefined)
}

function compileFields<V>(
  object: JsonObject,
  path: string,
  compile: Compile<V>,
  compileKey: (key: string) => TextRenderer<V> | undefined,
): TextRenderer<V> | undefined {
  const fields = Object.entries(object).map(([key, field]) => ({
    key,
    field,
    renderKey: compileKey(key),
    render: compile(field, `${path}.${key}`),
  }))
  if (fields.every(({ renderKey, render }) => renderKey === undefined && render === undefined)) return undefined
  return (values) => {
    const result: JsonObject = {}
    for (const { key, field, renderKey, render } of fields) {
      const value = render === undefined ? field : render(values)
      const name = renderKey === undefined ? key : renderKey(values)
      if (value !== undefined && name !== undefined) setOwn(result, String(name), value)
    }
    return result
  }
}
