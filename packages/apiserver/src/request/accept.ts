import { notAcceptable } from '@orrery/kinds/values'

export type Serialization = 'json' | 'yaml' | 'protobuf'

/** The response form that the client requests. */
export interface ResponseForm {
  readonly serialization: Serialization
  /** The object itself, or a derived form. */
  readonly shape: 'object' | 'table' | 'metadata'
  /** The `meta.k8s.io` version of derived forms. */
  readonly metaVersion: MetaVersion
}

export type MetaVersion = 'v1' | 'v1beta1'

const JSON_OBJECT: ResponseForm = { serialization: 'json', shape: 'object', metaVersion: 'v1' }

export const JSON_TYPE = 'application/json'
export const YAML_TYPE = 'application/yaml'
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf'

const SERIALIZATIONS: Readonly<Record<string, Serialization>> = {
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
  'application/yaml': 'yaml',
  'application/vnd.kubernetes.protobuf': 'protobuf',
}

const SHAPES: ReadonlyMap<string, ResponseForm['shape']> = new Map([
  ['Table', 'table'],
  ['PartialObjectMetadata', 'metadata'],
  ['PartialObjectMetadataList', 'metadata'],
])

export const CONTENT_TYPE: Readonly<Record<Serialization, string>> = {
  json: JSON_TYPE,
  yaml: YAML_TYPE,
  protobuf: PROTOBUF_TYPE,
}

const cache = new Map<string, ResponseForm | undefined>()
const CACHE_LIMIT = 500

/**
 * Returns the response form of an `Accept` header. Whole objects are sent as JSON if a client accepts both JSON and
 * protobuf, because they are stored as JSON. Throws a 406 if no form is supported.
 */
export function negotiate(accept: string | undefined): ResponseForm {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === JSON_TYPE) return JSON_OBJECT
  let form = cache.get(accept)
  if (form === undefined && !cache.has(accept)) {
    form = parseAccept(accept)
    if (cache.size >= CACHE_LIMIT) cache.clear()
    cache.set(accept, form)
  }
  if (form === undefined) throw notAcceptable([JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE])
  return form
}

/** Returns the form for something without derived forms. Throws a 406 if the client accepts only those. */
export function negotiateObject(accept: string | undefined): ResponseForm {
  const form = negotiate(accept)
  if (form.shape === 'object') return form
  const plain = formsOf(accept ?? '').find(({ shape }) => shape === 'object')
  if (plain === undefined) throw notAcceptable([JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE])
  return plain
}

/** Returns the media type of a stream of objects. */
export function streamType(type: string): string {
  return `${type};stream=watch`
}

/** Returns the form for a watch: YAML cannot be streamed. Throws a 406 if the client accepts nothing else. */
export function negotiateStream(accept: string | undefined): ResponseForm {
  const form = negotiate(accept)
  if (form.serialization !== 'yaml') return form
  const other = formsOf(accept ?? '').find(({ serialization }) => serialization !== 'yaml')
  if (other === undefined) throw notAcceptable([JSON_TYPE, PROTOBUF_TYPE].map(streamType))
  return other
}

interface Clause {
  readonly type: string
  readonly quality: number
  readonly parameters: ReadonlyMap<string, string>
}

function formsOf(accept: string): ResponseForm[] {
  const clauses = accept.split(',').map(parseClause)
  clauses.sort((a, b) => b.quality - a.quality)
  return clauses.flatMap((clause) => formOf(clause) ?? [])
}

function parseAccept(accept: string): ResponseForm | undefined {
  const forms = formsOf(accept)
  const best = forms[0]
  if (best?.serialization !== 'protobuf' || best.shape !== 'object') return best
  return forms.find((form) => form.serialization === 'json' && form.shape === best.shape) ?? best
}

function formOf(clause: Clause): ResponseForm | undefined {
  if (clause.quality === 0) return undefined
  const serialization = Object.hasOwn(SERIALIZATIONS, clause.type) ? SERIALIZATIONS[clause.type] : undefined
  if (serialization === undefined) return undefined
  const as = clause.parameters.get('as')
  if (as === undefined) return { serialization, shape: 'object', metaVersion: 'v1' }
  if (clause.parameters.get('g') !== 'meta.k8s.io') return undefined
  const metaVersion = clause.parameters.get('v')
  if (metaVersion !== 'v1' && metaVersion !== 'v1beta1') return undefined
  const shape = SHAPES.get(as)
  return shape && { serialization, shape, metaVersion }
}

function parseClause(text: string): Clause {
  const [type = '', ...rest] = text.split(';')
  const parameters = new Map<string, string>()
  for (const parameter of rest) {
    const equals = parameter.indexOf('=')
    if (equals > 0) parameters.set(parameter.slice(0, equals).trim().toLowerCase(), parameter.slice(equals + 1).trim())
  }
  const quality = Number(parameters.get('q') ?? '1')
  return { type: type.trim().toLowerCase(), quality: Number.isFinite(quality) ? quality : 0, parameters }
}
