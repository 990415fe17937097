import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { jsonPatch, mergePatch, strategicMergePatch, unknownOperationFields } from '@orrery/kinds/patch'
import { badRequest, PATCH_TYPES, type PatchType, unsupportedMediaType } from '@orrery/kinds/values'
import { parseJson } from '../json/parse.js'
import type { Resource } from '../kinds/resource.js'
import { type DecodedBody, decodeYaml, mediaType } from '../request/decode.js'

const TYPES: ReadonlyMap<string, PatchType> = new Map(
  Object.entries(PATCH_TYPES).map(([type, mediaType]) => [mediaType, type as PatchType]),
)

/** Returns the patch type of a content type. Custom resources have no strategic merge. Throws a 415. */
export function patchTypeOf(resource: Resource, contentType: string | undefined): PatchType {
  const found = TYPES.get(mediaType(contentType))
  if (found === undefined || (found === 'strategic' && resource.custom)) {
    const { json, merge, strategic, apply } = PATCH_TYPES
    throw unsupportedMediaType(resource.custom ? [json, merge, apply] : [json, merge, strategic, apply])
  }
  return found
}

/** Parses the body of an apply patch: YAML, which includes JSON. */
export function parseApplyBody(bytes: Buffer): DecodedBody {
  try {
    return decodeYaml(bytes)
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** A patch other than server-side apply. */
export interface ParsedPatch {
  /** The problems that strict field validation finds in the patch itself. */
  readonly problems: readonly string[]
  /** Returns the patched object, which shares unchanged parts. */
  apply(current: KubeObject): JsonObject
}

/** Parses the body of any other patch. */
export function parsePatch(type: Exclude<PatchType, 'apply'>, bytes: Buffer, resource: Resource): ParsedPatch {
  const { value, duplicates } = parseJson(bytes, 'error decoding patch')
  if (type === 'json') {
    const operations = value as JsonValue
    const repeated = duplicates.map((path) => `json patch duplicate field ${JSON.stringify(path)}`)
    return {
      problems: [...unknownOperationFields(operations), ...repeated].sort(byOperation),
      apply: (current) => patchedByOperations(current, operations),
    }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(
      `${type === 'merge' ? 'error decoding patch: ' : ''}json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`,
    )
  }
  const patch = value as JsonObject
  return {
    problems: duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
    apply: (current) =>
      type === 'merge'
        ? mergePatch(current as unknown as JsonObject, patch)
        : strategicMergePatch(current as unknown as JsonObject, patch, resource.schema),
  }
}

function patchedByOperations(current: KubeObject, operations: JsonValue): JsonObject {
  const patched = jsonPatch(current as unknown as JsonObject, operations)
  if (typeof patched !== 'object' || patched === null || Array.isArray(patched)) {
    throw badRequest('the patch replaces the whole object by something that is not an object')
  }
  return patched
}

/** Problems of JSON patches name their operation: `[3].path`. */
function byOperation(a: string, b: string): number {
  return operationOf(a) - operationOf(b)
}

function operationOf(problem: string): number {
  return Number(/\[(\d+)\]/.exec(problem)?.[1] ?? 0)
}

function goKind(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value
}
