// Derives the tables in packages/kinds/src/tables/groups from the Kubernetes release that release.mjs names:
//   node tools/derive-kinds/derive.mjs [output directory]
// Needs Go, which downloads and verifies the release.
// Only facts are taken (names, types, numbers, merge keys); the form of the tables is explained in packages/kinds/src/tables/table.ts.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readGoPackage } from './gosource.mjs'
import { KUBERNETES_TAG, kubernetesSource } from './release.mjs'
import { resourceLines } from './resources.mjs'
import { modules, specials } from './sources.mjs'

const [output = new URL('../../packages/kinds/src/tables/groups', import.meta.url).pathname] = process.argv.slice(2)
const root = kubernetesSource()

const openapi = {}
const openapiDirectory = join(root, 'api/openapi-spec/v3')
for (const file of readdirSync(openapiDirectory)) {
  const document = JSON.parse(readFileSync(join(openapiDirectory, file), 'utf8'))
  Object.assign(openapi, document.components?.schemas)
}

const packages = new Map()
for (const [key, module] of Object.entries(modules)) {
  packages.set(module.go, { key, module, source: readGoPackage(root, module.files), wanted: new Set() })
}
const primitives = new Set(['string', 'bool', 'int32', 'int64', 'float64'])

/** The table's notation of a Go type in a package; records every struct and named type that it needs. */
function describeType(type, from) {
  if (type.startsWith('*')) return `*${describeType(type.slice(1), from)}`
  if (type === '[]byte') return type
  if (type === '[]interface{}') return '[]any'
  if (type.startsWith('[]')) return `[]${describeType(type.slice(2), from)}`
  const map = /^map\[([\w.]+)\](.+)$/.exec(type)
  if (map) return `map[${mapKey(map[1], from)}]${describeType(map[2], from)}`
  if (primitives.has(type)) return type
  const [path, name] = resolve(type, from)
  const special = specials[`${path}.${name}`]
  if (special !== undefined) return special
  const owner = packages.get(path)
  if (owner === undefined) throw new Error(`${type} is in ${path}, which no module covers`)
  want(owner, name)
  return owner === from ? name : `${owner.key}.${name}`
}

/** The key of a map is only used in an error message. */
function mapKey(type, from) {
  return type === 'string' ? type : describeType(type, from)
}

function resolve(type, from) {
  const dot = type.indexOf('.')
  if (dot < 0) return [from.module.go, type]
  const path = from.source.imports.get(type.slice(0, dot))
  if (path === undefined) throw new Error(`${type}: unknown import`)
  return [path, type.slice(dot + 1)]
}

const pending = []
function want(owner, name) {
  if (owner.wanted.has(name)) return
  owner.wanted.add(name)
  pending.push([owner, name])
}

/** Whether Go holds the value as a struct, which `omitempty` never omits. */
function isStructKind(type, from) {
  if (/^(\*|\[\]|map\[)/.test(type) || primitives.has(type)) return false
  const [path, name] = resolve(type, from)
  const special = specials[`${path}.${name}`]
  if (special !== undefined) return special !== 'uid'
  const { source } = packages.get(path)
  const named = source.named.get(name)
  return named === undefined
}

function describeField(field, struct, from) {
  if (field.embedded && field.json === '') {
    const number = field.number === undefined ? '' : ` ${field.number}`
    return `  +${describeType(field.type, from)}${number}`
  }
  const schema = openapi[`${from.module.openapi}.${struct}`]
  const property = schema?.properties?.[field.json]
  const words = [describeType(field.type, from), field.number ?? '-']
  const omits = field.omitEmpty || field.omitZero
  const listType = property?.['x-kubernetes-list-type'] ?? field.listType
  if (listType === 'map') {
    const keys = property?.['x-kubernetes-list-map-keys'] ?? field.listMapKeys
    words.push(`map:${keys.join(',')}`)
  } else if (listType === 'set') words.push('set')
  const mapType = property?.['x-kubernetes-map-type']
  if (mapType !== undefined) words.push(mapType)
  const strategy = property?.['x-kubernetes-patch-strategy'] ?? field.patchStrategy
  const mergeKey = property?.['x-kubernetes-patch-merge-key'] ?? field.patchMergeKey
  if (strategy !== undefined) words.push(`${strategy.replace(',', '+')}${mergeKey ? `:${mergeKey}` : ''}`)
  const isRequired = schema === undefined ? !omits && !field.optional : (schema.required ?? []).includes(field.json)
  if (isRequired !== !omits) words.push(isRequired ? 'required' : 'optional')
  if (field.omitZero && isStructKind(field.type, from)) words.push('omitzero')
  const value = property?.default
  if (value !== undefined && !isImplied(value, field, from)) words.push(`=${JSON.stringify(value)}`)
  return `  ${field.json}${omits ? '?' : ''} ${words.join(' ')}`
}

/**
 * Structs held by value default to `{}`, scalars without `omitempty` to their zero value: the parser of the tables
 * implies them.
 */
function isImplied(value, field, from) {
  if (/^(\*|\[\]|map\[)/.test(field.type)) return false
  if (isStructKind(field.type, from)) return typeof value === 'object' && Object.keys(value).length === 0
  return !field.omitEmpty && (value === '' || value === 0 || value === false)
}

function describeDeclaration(name, from) {
  const named = from.source.named.get(name)
  if (named !== undefined) return `${name} = ${describeType(named.type, from)}${named.wrapped ? ' wrapped' : ''}`
  const fields = from.source.structs.get(name)
  if (fields === undefined) throw new Error(`${from.key} has no type ${name}`)
  const isAtomic = openapi[`${from.module.openapi}.${name}`]?.['x-kubernetes-map-type'] === 'atomic'
  const lines = fields.map((field) => describeField(field, name, from))
  return [`${name}${isAtomic ? ' atomic' : ''}`, ...lines].join('\n')
}

const resources = new Map()
for (const owner of packages.values()) {
  const { lines, kinds } = resourceLines(root, owner.module)
  resources.set(owner.key, lines)
  for (const kind of kinds) want(owner, kind)
  for (const kind of kinds) if (owner.source.structs.has(`${kind}List`)) want(owner, `${kind}List`)
  for (const kind of owner.module.kinds) want(owner, kind)
}
const declarations = new Map([...packages.values()].map((owner) => [owner, new Map()]))
// The JSON Schema type is also only reached through types with their own wire form.
want(packages.get(modules.apiextensions.go), 'JSONSchemaProps')
while (pending.length > 0) {
  const [owner, name] = pending.pop()
  declarations.get(owner).set(name, describeDeclaration(name, owner))
}

mkdirSync(output, { recursive: true })
for (const [owner, found] of declarations) {
  const { key, module } = owner
  const types = [...found.keys()].sort().map((name) => found.get(name))
  const text = `// Generated by tools/derive-kinds from Kubernetes ${KUBERNETES_TAG}. Do not edit.
import type { KindTable } from '../table.js'

export const ${key}: KindTable = {
  key: '${key}',
  group: '${module.group}',
  version: '${module.version}',
  openapi: '${module.openapi}',
  resources: \`
${resources.get(key).join('\n')}
\`,
  types: \`
${types.join('\n')}
\`,
}
`
  writeFileSync(join(output, `${key}.generated.ts`), text)
  console.log(`${key}: ${types.length} types`)
}
