import type { JsonObject, JsonValue } from '../object.js'
import { badRequest, childPath, getOwn, isObject, jsonEqual, setOwn, tooLarge, utf8Length } from '../values/index.js'
import { unprocessablePatch } from './errors.js'
import { jsonTypeName } from './json.js'

/** The maximum number of operations in a JSON patch. */
export const MAX_OPERATIONS = 10_000
/** The maximum bytes that all `copy` operations of one patch may add. */
export const MAX_COPIED_BYTES = 3 * 1024 * 1024

/** The maximum number of list items that one patch may move by insertions and removals. */
const MAX_MOVED = 500_000_000

type Container = JsonObject | JsonValue[]

interface Operation {
  readonly op: string
  readonly path: string | undefined
  readonly from: string | undefined
  readonly value: JsonValue | undefined
}

/** Applies a JSON patch (RFC 6902) like kube-apiserver. Neither input is modified; unchanged values are shared. */
export function jsonPatch(document: JsonObject, operations: JsonValue): JsonValue {
  const parsed = parseOperations(operations)
  const editor = new Editor(document)
  for (const operation of parsed) editor.apply(operation)
  if (isDeeperThan(editor.root, MAX_DEPTH)) throw badRequest(`json: exceeded max depth of ${MAX_DEPTH}`)
  return editor.root
}

/** Operations can nest deep values. The result must not be deeper than a body may be. */
const MAX_DEPTH = 1000

function isDeeperThan(value: JsonValue, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit === 0) return true
  for (const child of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof child === 'object' && isDeeperThan(child as JsonValue, limit - 1)) return true
  }
  return false
}

/** The maximum number of unknown fields that a response reports. */
const MAX_UNKNOWN = 100

/** Returns the messages of strict field validation for unknown members of operations. */
export function unknownOperationFields(operations: JsonValue): string[] {
  const unknown: string[] = []
  if (!Array.isArray(operations)) return unknown
  for (const [index, operation] of operations.entries()) {
    if (!isObject(operation)) continue
    for (const key of Object.keys(operation)) {
      if (OPERATION_FIELDS.has(key)) continue
      unknown.push(`json patch unknown field "${childPath(`[${index}]`, key)}"`)
      if (unknown.length === MAX_UNKNOWN) return unknown
    }
  }
  return unknown
}

const OPERATION_FIELDS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value'])

function parseOperations(operations: JsonValue): Operation[] {
  if (operations === null) return []
  if (!Array.isArray(operations)) throw undecodable(operations, 'Go value of type []handlers.jsonPatchOp')
  if (operations.length > MAX_OPERATIONS) {
    const limit = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`
    throw tooLarge(`Request entity too large: ${limit}`)
  }
  return operations.map(parseOperation)
}

function parseOperation(operation: JsonValue): Operation {
  if (operation === null) return { op: 'unknown', path: undefined, from: undefined, value: undefined }
  if (!isObject(operation)) throw undecodable(operation, 'Go value of type handlers.jsonPatchOp')
  return {
    op: stringMember(operation, 'op') ?? 'unknown',
    path: stringMember(operation, 'path'),
    from: stringMember(operation, 'from'),
    value: getOwn(operation, 'value'),
  }
}

function stringMember(operation: JsonObject, name: string): string | undefined {
  const value = getOwn(operation, name)
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw undecodable(value, `Go struct field jsonPatchOp.${name} of type string`)
  return value
}

function undecodable(value: JsonValue, into: string) {
  return badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeName(value)} into ${into}`)
}

/** A document being edited. A container is copied before its first change and modified in place afterwards. */
class Editor {
  #moved = 0
  root: Container
  readonly #owned = new Set<Container>()
  #copiedBytes = 0

  constructor(document: Container) {
    this.root = document
  }

  apply(operation: Operation): void {
    const { op, value } = operation
    switch (op) {
      case 'add':
        this.#add(required(operation, 'path'), value ?? null)
        break
      case 'remove':
        this.#remove(required(operation, 'path'))
        break
      case 'replace':
        this.#replace(required(operation, 'path'), value ?? null)
        break
      case 'test':
        this.#test(required(operation, 'path'), value ?? null)
        break
      case 'move':
        this.#add(required(operation, 'path'), this.#remove(required(operation, 'from')))
        break
      case 'copy':
        this.#add(required(operation, 'path'), this.#copyOf(required(operation, 'from')))
        break
      default:
        throw unprocessablePatch(`unexpected kind of operation: ${op}`)
    }
  }

  #add(path: string, value: JsonValue): void {
    const { parent, key } = this.#writable(path)
    if (!Array.isArray(parent)) setOwn(parent, key, value)
    else if (key === '-') parent.push(value)
    else this.#splice(parent, position(key, parent.length + 1, path), 0, value)
  }

  /**
   * Removes items from a list or inserts one. The items that move are counted, since patches of a long list are slow.
   */
  #splice(items: JsonValue[], at: number, removed: number, ...added: JsonValue[]): JsonValue[] {
    this.#moved += items.length - at
    if (this.#moved > MAX_MOVED) throw tooLarge('Request entity too large: the patch moves too many items of lists')
    return items.splice(at, removed, ...added)
  }

  #remove(path: string): JsonValue {
    const { parent, key } = this.#writable(path)
    if (Array.isArray(parent)) return this.#splice(parent, position(key, parent.length, path), 1)[0] ?? null
    const removed = getOwn(parent, key)
    if (removed === undefined) throw unprocessablePatch(`nothing to remove at ${path}`)
    delete parent[key]
    return removed
  }

  /** A missing member of an object is added instead of refused, as in kube-apiserver. */
  #replace(path: string, value: JsonValue): void {
    if (path === '') {
      if (typeof value !== 'object' || value === null) {
        throw unprocessablePatch('the whole document can only be replaced by an object or a list')
      }
      this.root = value
      return
    }
    const { parent, key } = this.#writable(path)
    if (Array.isArray(parent)) parent[position(key, parent.length, path)] = value
    else setOwn(parent, key, value)
  }

  /** A missing member equals null, as in kube-apiserver. */
  #test(path: string, expected: JsonValue): void {
    const actual = path === '' ? this.root : (this.#read(path) ?? null)
    if (!jsonEqual(actual, expected)) throw unprocessablePatch(`the value at ${path} is not the expected one`)
  }

  #copyOf(from: string): JsonValue {
    const json = JSON.stringify(this.#read(from) ?? null)
    this.#copiedBytes += utf8Length(json)
    if (this.#copiedBytes > MAX_COPIED_BYTES) {
      throw unprocessablePatch(`copies add ${this.#copiedBytes} bytes, more than ${MAX_COPIED_BYTES}`)
    }
    return JSON.parse(json)
  }

  #read(path: string): JsonValue | undefined {
    const { parents, key } = pointer(path)
    let container = this.root
    for (const name of parents) container = asContainer(childOf(container, name), path)
    return Array.isArray(container) ? container[position(key, container.length, path)] : getOwn(container, key)
  }

  /** Returns the container of a path, after copying every container on the way to it. */
  #writable(path: string): { parent: Container; key: string } {
    const { parents, key } = pointer(path)
    this.root = this.#own(this.root)
    let parent = this.root
    for (const name of parents) {
      const child = this.#own(asContainer(childOf(parent, name), path))
      if (Array.isArray(parent)) parent[indexIn(name, parent.length) as number] = child
      else setOwn(parent, name, child)
      parent = child
    }
    return { parent, key }
  }

  #own(container: Container): Container {
    if (this.#owned.has(container)) return container
    const copy = Array.isArray(container) ? container.slice() : { ...container }
    this.#owned.add(copy)
    return copy
  }
}

function required(operation: Operation, name: 'path' | 'from'): string {
  const value = operation[name]
  if (value === undefined) throw unprocessablePatch(`operation ${operation.op} has no ${name}`)
  return value
}

/** Splits a JSON pointer. Anything before the first slash is ignored. */
function pointer(path: string): { parents: string[]; key: string } {
  const tokens = path.split('/').slice(1).map(unescapeToken)
  const key = tokens.pop()
  if (key === undefined) throw unprocessablePatch(`path ${JSON.stringify(path)} does not point into the document`)
  return { parents: tokens, key }
}

function unescapeToken(token: string): string {
  return token.includes('~') ? token.replace(/~[01]/g, (code) => (code === '~1' ? '/' : '~')) : token
}

function childOf(container: Container, name: string): JsonValue | undefined {
  if (!Array.isArray(container)) return getOwn(container, name)
  const index = indexIn(name, container.length)
  return index === undefined ? undefined : container[index]
}

function asContainer(value: JsonValue | undefined, path: string): Container {
  if (typeof value !== 'object' || value === null) throw unprocessablePatch(`the document is missing path ${path}`)
  return value
}

function position(key: string, length: number, path: string): number {
  const index = indexIn(key, length)
  if (index === undefined) throw unprocessablePatch(`${path} is not an index of the list`)
  return index
}

/** Negative indices count from the end, as in kube-apiserver. */
function indexIn(key: string, length: number): number | undefined {
  if (!/^[+-]?\d{1,15}$/.test(key)) return undefined
  const index = Number(key)
  if (index >= length || index < -length) return undefined
  return index < 0 ? index + length : index
}
