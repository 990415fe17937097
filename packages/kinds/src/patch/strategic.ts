import type { JsonObject, JsonValue } from '../object.js'
import type { Field, Schema, StructSchema } from '../tables/schema.js'
import { badRequest, formatGoValue, getOwn, isObject, setOwn } from '../values/index.js'
import { Effort } from './effort.js'
import { unprocessablePatch, wrongPatch } from './errors.js'
import { jsonTypeName, withoutNulls } from './json.js'
import {
  elementType,
  hasDirective,
  liveOrderAfter,
  mergeKeyOf,
  mergeLists,
  reorder,
  wrongType,
} from './strategic-list.js'

const PATCH = '$patch'
const RETAIN_KEYS = '$retainKeys'
const DELETE_FROM_LIST = '$deleteFromPrimitiveList'
const SET_ORDER = '$setElementOrder'

/** How a field is patched: its schema, and whether its list is merged and by which key. */
interface PatchRule {
  readonly schema: Schema | undefined
  readonly strategy: 'merge' | 'replace' | ''
  readonly mergeKey: string
}

/**
 * Applies a strategic merge patch. Neither input is modified; unchanged values are shared. Members are handled in the
 * order of kube-apiserver: `$patch` excludes everything else, then `$retainKeys`, then lists with an element order,
 * then deletions from lists, then the rest.
 */
export function strategicMergePatch(original: JsonObject, patch: JsonValue, schema: StructSchema): JsonObject {
  if (patch === null) return original
  if (!isObject(patch)) {
    throw badRequest(`json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`)
  }
  return mergeObject(original, patch, schema, new Effort())
}

function mergeObject(original: JsonObject, patch: JsonObject, schema: Schema | undefined, effort: Effort): JsonObject {
  if (Object.hasOwn(patch, PATCH)) return followDirective(patch)
  // Copying a member costs about twice as much as visiting an item.
  effort.spend(2 * Object.keys(original).length)
  const merged = retainKeys(original, patch)
  const settled = mergeOrderedLists(merged, patch, schema, effort)
  const names = Object.keys(patch)
  for (const key of names) {
    if (!key.startsWith(DELETE_FROM_LIST)) continue
    deleteFromList(merged, listName(key, DELETE_FROM_LIST), patch[key] as JsonValue, schema, effort)
  }
  for (const key of names) {
    if (isDirective(key) || settled.has(key)) continue
    mergeField(merged, key, patch[key] as JsonValue, schema, effort)
  }
  return merged
}

/** Returns whether a member is a directive. */
function isDirective(key: string): boolean {
  return key === RETAIN_KEYS || key.startsWith(DELETE_FROM_LIST) || key.startsWith(SET_ORDER)
}

function mergeField(
  merged: JsonObject,
  key: string,
  change: JsonValue,
  schema: Schema | undefined,
  effort: Effort,
): void {
  if (change === null) {
    delete merged[key]
    return
  }
  const current = getOwn(merged, key)
  if (isObject(current) && isObject(change)) {
    const rule = ruleOf(schema, key)
    setOwn(merged, key, rule.strategy === 'replace' ? change : mergeObject(current, change, rule.schema, effort))
  } else if (Array.isArray(current) && Array.isArray(change)) {
    setOwn(merged, key, mergeList(current, change, ruleOf(schema, key), effort))
  } else {
    const added = withoutDirectives(withoutNulls(change))
    if (added === undefined) delete merged[key]
    else setOwn(merged, key, added)
  }
}

function followDirective(patch: JsonObject): JsonObject {
  const directive = patch[PATCH]
  if (directive === 'delete') return {}
  if (directive === 'replace') {
    const { [PATCH]: _, ...replacement } = patch
    return replacement
  }
  throw wrongPatch(`unknown patch type: ${formatGoValue(directive ?? null)} in map: ${formatGoValue(patch)}`)
}

/** Returns a copy of the original with only the keys of a `$retainKeys` list. */
function retainKeys(original: JsonObject, patch: JsonObject): JsonObject {
  const names = getOwn(patch, RETAIN_KEYS)
  if (names === undefined) return { ...original }
  if (!Array.isArray(names)) throw badRequest('invalid patch format of retainKeys')
  const retained = new Set(names)
  for (const key of Object.keys(patch)) {
    if (isDirective(key) || patch[key] === null) continue
    if (!retained.has(key)) throw badRequest('invalid patch format of retainKeys')
  }
  const kept: JsonObject = {}
  for (const key of Object.keys(original)) if (retained.has(key)) setOwn(kept, key, original[key] as JsonValue)
  return kept
}

function deleteFromList(
  merged: JsonObject,
  name: string,
  change: JsonValue,
  schema: Schema | undefined,
  effort: Effort,
): void {
  if (change === null) {
    delete merged[name]
    return
  }
  const current = getOwn(merged, name)
  if (!Array.isArray(current) || !Array.isArray(change) || current.length + change.length === 0) return
  effort.spend(current.length)
  if (elementType(current, change) === 'object') {
    setOwn(merged, name, mergeKeyedLists(current, change, ruleOf(schema, name), effort))
  } else {
    const unwanted = new Set(change)
    setOwn(
      merged,
      name,
      current.filter((item) => !unwanted.has(item)),
    )
  }
}

/** Merges the lists with a `$setElementOrder`. Returns the names of their fields. */
function mergeOrderedLists(
  merged: JsonObject,
  patch: JsonObject,
  schema: Schema | undefined,
  effort: Effort,
): Set<string> {
  const settled = new Set<string>()
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(SET_ORDER)) continue
    const order = asList(patch[key] as JsonValue)
    const name = listName(key, SET_ORDER)
    const current = getOwn(merged, name)
    const change = getOwn(patch, name)
    const currentItems = current === undefined ? [] : asList(current)
    const changedItems = change === undefined ? [] : asList(change)
    const rule = orderedRule(schema, name)
    effort.spend(currentItems.length)
    checkOrder(changedItems, order, rule.mergeKey)
    if (current === undefined && change === undefined) continue
    const items =
      current === undefined
        ? changedItems.flatMap((item) => withoutDirectives(item) ?? [])
        : change === undefined
          ? currentItems
          : mergeList(currentItems, changedItems, rule, effort)
    elementType(currentItems, changedItems)
    const liveOrder = liveOrderAfter(currentItems, changedItems, rule.mergeKey)
    setOwn(merged, name, reorder(items, order, liveOrder, rule.mergeKey))
    settled.add(name)
  }
  return settled
}

function mergeList(current: JsonValue[], change: JsonValue[], rule: PatchRule, effort: Effort): JsonValue[] {
  if (rule.strategy !== 'merge') return change
  if (current.length + change.length === 0) return current
  effort.spend(current.length)
  if (elementType(current, change) === 'object') return mergeKeyedLists(current, change, rule, effort)
  return reorder([...new Set([...current, ...change])], change, current, '')
}

function mergeKeyedLists(current: JsonValue[], change: JsonValue[], rule: PatchRule, effort: Effort): JsonValue[] {
  const itemSchema = rule.schema?.type === 'list' ? rule.schema.items : undefined
  if (rule.mergeKey === '') {
    throw wrongPatch(`cannot merge lists without merge key for ${itemSchema?.type === 'struct' ? 'struct' : 'map'}`)
  }
  return mergeLists(current as JsonObject[], change as JsonObject[], rule.mergeKey, (item, itemChange) =>
    mergeObject(item, itemChange, itemSchema, effort),
  )
}

/** Checks that all items of a patch are in its element order, in this order. */
function checkOrder(changed: JsonValue[], order: JsonValue[], mergeKey: string): void {
  if (changed.length === 0 || order.length === 0) return
  let next = 0
  for (const item of changed) {
    if (hasDirective(item)) continue
    const wanted = mergeKeyOf(item, mergeKey)
    while (next < order.length && mergeKeyOf(order[next] as JsonValue, mergeKey) !== wanted) next++
    if (next === order.length) {
      const lists = `${formatGoValue(changed)}\n doesn't match ${SET_ORDER} list:\n${formatGoValue(order)}`
      throw wrongPatch(`The order in patch list:\n${lists}\n`)
    }
    next++
  }
}

function asList(value: JsonValue): JsonValue[] {
  if (!Array.isArray(value)) throw wrongType('[]interface {}', value)
  return value
}

function listName(key: string, directive: string): string {
  if (key.startsWith(`${directive}/`)) return key.slice(directive.length + 1)
  const what = directive === SET_ORDER ? 'setElementOrder list' : 'primitive list'
  throw badRequest(`invalid patch format of ${what}`)
}

function orderedRule(schema: Schema | undefined, name: string): PatchRule {
  if (schema?.type !== 'struct') return ruleOf(schema, name)
  const field = schema.fields.get(name)
  if (field === undefined) {
    const struct = schema.name?.slice(schema.name.lastIndexOf('.') + 1) ?? ''
    throw wrongPatch(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`)
  }
  if (field.schema.type !== 'list') throw wrongPatch('expected slice or array type, but got: struct')
  if (field.schema.items.type === 'list') throw unprocessablePatch('lists of lists are not supported')
  return ruleOfField(field)
}

const NO_RULE: PatchRule = { schema: undefined, strategy: '', mergeKey: '' }

function ruleOf(schema: Schema | undefined, name: string): PatchRule {
  if (schema?.type === 'map') return { schema: schema.values, strategy: '', mergeKey: '' }
  const field = schema?.type === 'struct' ? schema.fields.get(name) : undefined
  return field === undefined ? NO_RULE : ruleOfField(field)
}

function ruleOfField(field: Field): PatchRule {
  const strategies = field.patchStrategy?.split(',') ?? []
  const strategy = strategies.includes('merge') ? 'merge' : strategies.includes('replace') ? 'replace' : ''
  return { schema: field.schema, strategy, mergeKey: field.patchMergeKey ?? '' }
}

/** Returns a new value without directives: objects that contain only a `$patch` directive are omitted. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.flatMap((item) => withoutDirectives(item) ?? [])
  if (!isObject(value)) return value
  if (Object.hasOwn(value, PATCH)) return undefined
  const kept: JsonObject = {}
  for (const key of Object.keys(value)) {
    const child = withoutDirectives(value[key] as JsonValue)
    if (child !== undefined) setOwn(kept, key, child)
  }
  return kept
}
