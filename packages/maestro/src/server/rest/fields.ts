import { MaestroError } from '../errors.js'
import { jsonText, type Members } from './json-text.js'

/** What a `fields` parameter asks for, by the first name: all of a member, or paths below it. */
export type Projection = ReadonlyMap<string, 'all' | readonly (readonly string[])[]>

/** They are looked up in each item. */
const MAX_FIELDS = 256

/** Parses `id,metadata.name,status.*`. The id is always sent. Throws a 400 for members that do not exist. */
export function projectionOf(fields: string, known: readonly string[]): Projection {
  const projection = new Map<string, 'all' | (readonly string[])[]>([['id', 'all']])
  const names = fields.split(',').map((one) => one.trim())
  if (names.length > MAX_FIELDS) throw new MaestroError('Validation', `fields has more than ${MAX_FIELDS} names`)
  for (const field of names) {
    if (field === '') continue
    const [first = '', ...below] = field.split('.')
    if (!known.includes(first)) {
      throw new MaestroError('Validation', `field '${field}' does not exist: use ${known.join(', ')}`)
    }
    const asked = projection.get(first)
    if (below.length === 0 || (below.length === 1 && below[0] === '*')) projection.set(first, 'all')
    else if (asked === undefined) projection.set(first, [below])
    else if (asked !== 'all') asked.push(below)
  }
  return projection
}

/** The members that were asked for. Only those with paths below them are parsed. */
export function projected(members: Members, projection: Projection): Members {
  return members.flatMap(([name, text]): Members => {
    const asked = projection.get(name)
    if (asked === undefined) return []
    if (asked === 'all') return [[name, text]]
    return [[name, jsonText(picked(JSON.parse(text.toString()), asked) ?? {})]]
  })
}

/** The parts of a value below the paths; of each item, if it is an array. */
function picked(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (Array.isArray(value)) return value.map((item) => picked(item, paths) ?? {})
  if (typeof value !== 'object' || value === null) return undefined
  const below = new Map<string, (readonly string[])[]>()
  for (const [first = '', ...rest] of paths) below.set(first, [...(below.get(first) ?? []), rest])
  const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const rests = below.get(name) ?? below.get('*')
    if (rests === undefined) return []
    if (rests.some((rest) => rest.length === 0)) return [[name, inner]]
    const part = picked(inner, rests)
    return part === undefined ? [] : [[name, part]]
  })
  return Object.fromEntries(entries)
}
