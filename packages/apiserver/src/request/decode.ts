import { isUtf8 } from 'node:buffer'
import type { JsonObject } from '@orrery/kinds'
import { badRequest, StatusError, unsupportedMediaType } from '@orrery/kinds/values'
import { type ParsedJson, parseJson, VERSION_KIND_ERROR } from '../json/parse.js'
import type { VerbatimMember } from '../json/verbatim.js'
import { decodeProtobuf, isProtobuf } from '../protobuf/index.js'
import { YamlError } from '../yaml/cursor.js'
import { type ParsedYaml, parseYaml } from '../yaml/parse.js'
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from './accept.js'

export interface DecodedBody {
  readonly value: JsonObject
  /** Duplicate field paths of a JSON body, in order. */
  readonly duplicates: readonly string[]
  /** Messages about duplicate keys of a YAML body. */
  readonly repeats?: readonly string[]
  /** A member of a JSON body that can be stored unchanged, unless something changes it. */
  readonly verbatim?: VerbatimMember | undefined
}

/** kube-apiserver's limit for a request body. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024

/** Returns the media type without parameters. */
export function mediaType(contentType: string | undefined): string {
  if (contentType === undefined) return ''
  if (contentType === JSON_TYPE) return JSON_TYPE
  const semicolon = contentType.indexOf(';')
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase()
}

/**
 * Decodes a request body. Throws a 400 for an invalid body and a 415 for an unsupported type. `kind` is the expected
 * kind for the message.
 */
export function decodeBody(bytes: Buffer, contentType: string | undefined, kind?: string): DecodedBody {
  const type = mediaType(contentType)
  if (type === JSON_TYPE || type === '') {
    // Old clients send protobuf without a content type; the prefix cannot start a JSON text.
    if (type === '' && isProtobuf(bytes)) return { value: decodeProtobuf(bytes), duplicates: [] }
    const onError =
      kind === undefined
        ? VERSION_KIND_ERROR
        : `the object provided is unrecognized (must be of type ${kind}): ${VERSION_KIND_ERROR}`
    const parsed = parseJson(bytes, onError)
    const { duplicates, verbatim } = parsed
    return { value: asObject(parsed.value, onError), duplicates, verbatim }
  }
  if (type === PROTOBUF_TYPE) return { value: decodeProtobuf(bytes), duplicates: [] }
  if (type === YAML_TYPE) return decodeYaml(bytes)
  throw unsupportedMediaType([JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE])
}

/** Decodes YAML like Go's conversion of YAML to JSON. Most bodies are JSON, which is parsed as such. */
export function decodeYaml(bytes: Buffer): DecodedBody {
  if (!isUtf8(bytes)) throw badRequest('error converting YAML to JSON: yaml: invalid UTF-8')
  const json = isBraced(bytes) ? readJson(bytes) : undefined
  if (json !== undefined && json.duplicates.length === 0) return { value: asObject(json.value), duplicates: [] }
  const { value, repeats } = readYaml(bytes.toString('utf8'))
  return { value: asObject(value), duplicates: [], repeats }
}

function isBraced(bytes: Buffer): boolean {
  const first = bytes.findIndex((byte) => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)
  return bytes[first] === 0x7b
}

/** Returns undefined if it is not JSON, or JSON that is refused: it may still be YAML. */
function readJson(bytes: Buffer): ParsedJson | undefined {
  try {
    return parseJson(bytes)
  } catch (error) {
    if (error instanceof StatusError) return undefined
    throw error
  }
}

function readYaml(text: string): ParsedYaml {
  try {
    return parseYaml(text)
  } catch (error) {
    if (error instanceof YamlError) throw badRequest(`error converting YAML to JSON: ${error.message}`)
    throw error
  }
}

function asObject(value: unknown, onError = VERSION_KIND_ERROR): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
    throw badRequest(`${onError}: json: cannot unmarshal ${kind} into Go value of type struct`)
  }
  return value as JsonObject
}
