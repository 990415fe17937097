import { isObject, TemplateError } from '@orrery/kinds/values'
import { isTrue, printed, type TemplateFunction, templateFunctions } from './functions.js'
import { DOT, type Operand, type Pipeline, parseTemplate, type TemplateNode } from './parser.js'

/** Renders templates of Go's `text/template`. A missing key is an error. */
export class Templates {
  readonly #functions: Readonly<Record<string, TemplateFunction>>
  readonly #parsed = new Map<string, TemplateNode[]>()

  constructor(now: () => Date) {
    this.#functions = templateFunctions(now)
  }

  /** Throws `TemplateError` if a template is not valid, or uses a function or a name of its data that does not exist. */
  check(source: string, names: readonly string[]): void {
    const nodes = this.#parse(source)
    this.#checkFunctions(nodes)
    const unknown = [...rootFieldsOf(nodes)].find((name) => !names.includes(name))
    if (unknown !== undefined) throw new TemplateError(`.${unknown} is not defined: use ${names.join(', ')}`)
  }

  render(source: string, data: Readonly<Record<string, unknown>>): string {
    if (!source.includes('{{')) return source
    const variables = new Map<string, unknown>([
      [DOT, data],
      ['$', data],
    ])
    return this.#nodes(this.#parse(source), variables)
  }

  /** Whether a template refers to a name of its data. */
  uses(source: string, name: string): boolean {
    return this.#fieldsOf(this.#parse(source)).has(name)
  }

  #parse(source: string): TemplateNode[] {
    let nodes = this.#parsed.get(source)
    if (nodes === undefined) {
      nodes = parseTemplate(source)
      this.#parsed.set(source, nodes)
    }
    return nodes
  }

  #nodes(nodes: readonly TemplateNode[], variables: Map<string, unknown>): string {
    return nodes.map((node) => this.#node(node, variables)).join('')
  }

  #node(node: TemplateNode, variables: Map<string, unknown>): string {
    if (node.type === 'text') return node.text
    const value = this.#pipeline(node.pipeline, variables)
    if (node.type === 'action') {
      if (node.pipeline.assigns === undefined) return printed(value)
      variables.set(node.pipeline.assigns, value)
      return ''
    }
    const inner = new Map(variables)
    if (node.pipeline.assigns !== undefined) inner.set(node.pipeline.assigns, value)
    if (!isTrue(value)) return this.#nodes(node.otherwise, inner)
    if (node.type === 'if') return this.#nodes(node.body, inner)
    if (node.type === 'with') return this.#nodes(node.body, inner.set(DOT, value))
    return itemsOf(value)
      .map((item) => {
        const each = new Map(inner).set(DOT, item)
        if (node.pipeline.assigns !== undefined) each.set(node.pipeline.assigns, item)
        return this.#nodes(node.body, each)
      })
      .join('')
  }

  #pipeline({ commands }: Pipeline, variables: Map<string, unknown>): unknown {
    let value: unknown
    commands.forEach((command, index) => {
      value = this.#command(command, variables, index === 0 ? [] : [value])
    })
    return value
  }

  #command([first, ...rest]: readonly Operand[], variables: Map<string, unknown>, piped: unknown[]): unknown {
    if (first === undefined) throw new TemplateError('missing value for command')
    if (first.type !== 'function') {
      if (rest.length > 0 || piped.length > 0) throw new TemplateError('cannot give an argument to a value')
      return this.#operand(first, variables)
    }
    // These stop at the first operand that decides.
    if (first.name === 'and' || first.name === 'or') {
      let value: unknown
      for (const operand of [
        ...rest.map((one) => () => this.#operand(one, variables)),
        ...piped.map((one) => () => one),
      ]) {
        value = operand()
        if (isTrue(value) === (first.name === 'or')) break
      }
      return value
    }
    const call = this.#functions[first.name]
    if (call === undefined) throw unknownFunction(first.name)
    return call(...rest.map((operand) => this.#operand(operand, variables)), ...piped)
  }

  #operand(operand: Operand, variables: Map<string, unknown>): unknown {
    switch (operand.type) {
      case 'literal':
        return operand.value
      case 'function':
        return this.#command([operand], variables, [])
      case 'pipeline':
        return operand.path.reduce(fieldOf, this.#pipeline(operand.pipeline, variables))
      case 'field':
        if (!variables.has(operand.variable)) throw new TemplateError(`undefined variable ${operand.variable}`)
        return readPath(operand, variables.get(operand.variable))
    }
  }

  #checkFunctions(nodes: readonly TemplateNode[]): void {
    for (const operand of operandsOf(nodes)) {
      if (operand.type !== 'function' || operand.name === 'and' || operand.name === 'or') continue
      if (!Object.hasOwn(this.#functions, operand.name)) throw unknownFunction(operand.name)
    }
  }

  #fieldsOf(nodes: readonly TemplateNode[]): Set<string> {
    const fields = new Set<string>()
    for (const operand of operandsOf(nodes)) {
      if (operand.type === 'field' && operand.path[0] !== undefined) fields.add(operand.path[0])
    }
    return fields
  }
}

/** The names that a template reads from its data. Inside `with` and `range`, `.` is another value. */
function* rootFieldsOf(nodes: readonly TemplateNode[], isDotRoot = true): Generator<string> {
  for (const node of nodes) {
    if (node.type === 'text') continue
    for (const operand of operandsIn(node.pipeline)) {
      if (operand.type !== 'field' || operand.path[0] === undefined) continue
      if (operand.variable === '$' || (operand.variable === DOT && isDotRoot)) yield operand.path[0]
    }
    if (node.type === 'action') continue
    yield* rootFieldsOf(node.body, isDotRoot && node.type === 'if')
    yield* rootFieldsOf(node.otherwise, isDotRoot)
  }
}

function* operandsOf(nodes: readonly TemplateNode[]): Generator<Operand> {
  for (const node of nodes) {
    if (node.type === 'text') continue
    yield* operandsIn(node.pipeline)
    if (node.type !== 'action') yield* operandsOf([...node.body, ...node.otherwise])
  }
}

function* operandsIn(pipeline: Pipeline): Generator<Operand> {
  for (const operand of pipeline.commands.flat()) {
    if (operand.type === 'pipeline') yield* operandsIn(operand.pipeline)
    else yield operand
  }
}

function unknownFunction(name: string): TemplateError {
  return new TemplateError(`function ${JSON.stringify(name)} is not defined`)
}

function readPath({ variable, path }: Operand & { type: 'field' }, value: unknown): unknown {
  try {
    return path.reduce(fieldOf, value)
  } catch (error) {
    const name = `${variable === DOT ? '' : variable}.${path.join('.')}`
    throw new TemplateError(`${name}: ${(error as Error).message}`)
  }
}

function fieldOf(value: unknown, name: string): unknown {
  if (!isObject(value)) throw new TemplateError(`cannot read field ${JSON.stringify(name)} of ${printed(value)}`)
  if (!Object.hasOwn(value, name)) throw new TemplateError(`no value for key ${JSON.stringify(name)}`)
  return value[name]
}

function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  // Go visits the keys of a map in order.
  if (isObject(value))
    return Object.keys(value)
      .sort()
      .map((key) => value[key])
  throw new TemplateError(`range cannot iterate over ${printed(value)}`)
}
