import { badRequest, type JsonObject, unsupportedMediaType } from '@orrery/kube'
import { parse as parseYaml } from 'yaml'
import { decodeProtobuf, isProtobuf } from '../protobuf/index.js'
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from './accept.js'
import { MAX_DEPTH, parseJson, VERSION_KIND_ERROR } from './json.js'

export interface DecodedBody {
  readonly value: JsonObject
  readonly duplicates: readonly string[]
}

/** kube-apiserver's limit for a request body. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024

/** The media type without its parameters. */
export function mediaType(contentType: string | undefined): string {
  if (contentType === undefined) return ''
  const semicolon = contentType.indexOf(';')
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase()
}

/**
 * Turns a request body into an object. Throws 400 for broken bodies and 415 for types nobody speaks. `kind` is what
 * the body should be, for the message.
 */
export function decodeBody(bytes: Buffer, contentType: string | undefined, kind?: string): DecodedBody {
  const type = mediaType(contentType)
  if (type === JSON_TYPE || type === '') {
    // Old clients send protobuf without saying so; the magic prefix cannot start a JSON text.
    if (type === '' && isProtobuf(bytes)) return { value: decodeProtobuf(bytes), duplicates: [] }
    const onError =
      kind === undefined
        ? VERSION_KIND_ERROR
        : `the object provided is unrecognized (must be of type ${kind}): ${VERSION_KIND_ERROR}`
    const parsed = parseJson(bytes, onError)
    return { value: asObject(parsed.value, onError), duplicates: parsed.duplicates }
  }
  if (type === PROTOBUF_TYPE) return { value: decodeProtobuf(bytes), duplicates: [] }
  if (type === YAML_TYPE) return decodeYaml(bytes)
  throw unsupportedMediaType([JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE])
}

/** Reads YAML as Go's YAML-to-JSON conversion does: YAML 1.1 booleans, merge keys, no aliases without bound. */
export function decodeYaml(bytes: Buffer): DecodedBody {
  let json: string
  const duplicates: string[] = []
  try {
    const value: unknown = parseYaml(bytes.toString('utf8'), {
      schema: 'yaml-1.1',
      merge: true,
      maxAliasCount: 1000,
      uniqueKeys: false,
    })
    json = JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? Number(inner) : inner)) ?? 'null'
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  return { value: asObject(parseJson(Buffer.from(json)).value), duplicates }
}

function asObject(value: unknown, onError = VERSION_KIND_ERROR): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
    throw badRequest(`${onError}: json: cannot unmarshal ${kind} into Go value of type struct`)
  }
  return value as JsonObject
}

export { MAX_DEPTH }
