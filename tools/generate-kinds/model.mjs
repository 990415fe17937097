// The part of the tables that becomes TypeScript: the kinds and everything that they consist of.
import { TypeUniverse, tableResources, tables } from '@orrery/kinds/tables'
import { enums } from './enums.mjs'
import { bodies, existing, renamed, same, scalars, undocumented } from './names.mjs'

const universe = new TypeUniverse(tables)
const tableKeys = new Map(tables.map(({ key, group, version }) => [`${group}/${version}`, key]))

/** The resources with their path in the tables, such as `apps.Deployment`. */
const resources = new Map(
  tableResources().map((resource) => [
    `${tableKeys.get(`${resource.group}/${resource.version}`)}.${resource.kind}`,
    resource,
  ]),
)

/** `{ table, name }` of a path such as `core.PodSpec`. */
function split(path) {
  const dot = path.indexOf('.')
  return { table: path.slice(0, dot), name: path.slice(dot + 1) }
}

/** The path of a type as a table names it: in that table, unless it is qualified. */
const pathOf = (type, table) => (type.includes('.') ? type : `${table}.${type}`)

/** The parsed field lines of a struct. Inlined structs are separate: `inlines`. */
function readStruct(path, lines) {
  const { table, name: structName } = split(path)
  const schema = universe.table(table).struct(structName)
  const fields = []
  const inlines = []
  for (const line of lines.slice(1)) {
    const [label, type, , ...words] = line.split(' ')
    if (label.startsWith('+')) inlines.push(pathOf(label.slice(1), table))
    else {
      const name = label.replace('?', '')
      const required = undocumented.has(table) ? name === label : schema.fields.get(name).required
      const given = words.find((word) => word.startsWith('='))
      fields.push({ name, type, required, given: given && JSON.parse(given.slice(1)) })
    }
  }
  return { fields, inlines }
}

/** The declaration of a path: a struct, or a named type. */
export function declarationOf(path) {
  const { table, name } = split(path)
  const lines = universe.table(table).declarations().get(name)
  if (lines === undefined) throw new Error(`no table declares ${path}`)
  const [, mark, target] = lines[0].split(' ')
  const declaration = { path, table, name: renamed[path] ?? name }
  if (mark === '=') return { ...declaration, form: 'alias', target, values: enums[table]?.[name] }
  const resource = resources.get(path)
  const scope = resource === undefined ? bodies[path] : resource.namespaced ? 'Namespaced' : 'Cluster'
  return { ...declaration, form: 'struct', original: name, resource, scope, ...readStruct(path, lines) }
}

/** The element type of a type: without lists, maps and pointers. */
function bare(type) {
  if (type === '[]byte') return type
  return type.replace(/^\*/, '').replace(/^(\[\](?!byte)|map\[[^\]]*\])+\*?/, '')
}

/** The path of the declaration of a table's type. Undefined if no table declares it. */
export function target(type, table) {
  const name = bare(type)
  if (name in scalars) return undefined
  if (name.startsWith('schemaOr')) return 'apiextensions.JSONSchemaProps'
  const path = pathOf(name, table)
  return same[path] ?? path
}

/** Everything that the kinds need, in the order of the tables and of the names in them. */
export function reachable() {
  const found = new Map()
  const waiting = [...resources.keys(), ...Object.keys(bodies)]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path) || path in existing || path === 'meta.TypeMeta') continue
    const declaration = declarationOf(path)
    found.set(path, declaration)
    if (declaration.form === 'struct') waiting.push(...needs(declaration))
    else waiting.push(...[target(declaration.target, declaration.table)].filter(Boolean))
  }
  return tables.map(({ key, group, version }) => ({
    key,
    group,
    version,
    declarations: [...found.values()].filter(({ table }) => table === key).sort((a, b) => (a.name < b.name ? -1 : 1)),
  }))
}

function needs({ fields, inlines, table }) {
  return [...inlines, ...fields.map(({ type }) => target(type, table))].filter(Boolean)
}

function contents(path) {
  const { form, fields, inlines, target: type, values } = declarationOf(path)
  return JSON.stringify({ form, fields, inlines, type, values })
}

/** Fails if the lists of names and values refer to something that is not in the tables. */
export function checkNames() {
  for (const [one, other] of Object.entries(same)) {
    if (contents(one) !== contents(other)) throw new Error(`${one} is not the same as ${other}`)
  }
  const valued = Object.entries(enums).flatMap(([table, types]) => Object.keys(types).map((name) => `${table}.${name}`))
  for (const path of [...valued, ...Object.keys({ ...renamed, ...existing, ...bodies })]) declarationOf(path)
  const owners = new Map()
  for (const { declarations } of reachable()) {
    for (const { name, path, form, values } of declarations) {
      if (form === 'alias' && values === undefined) continue
      if (owners.has(name)) throw new Error(`both ${owners.get(name)} and ${path} are called ${name}: rename one`)
      owners.set(name, path)
    }
  }
}
