import { badRequest, type JsonObject, type KubeObject, unsupportedMediaType } from '@orrery/kube'
import { addAll } from '../json.js'
import { jsonPatch, unknownOperationFields } from '../patch/jsonpatch.js'
import { mergePatch } from '../patch/mergepatch.js'
import { strategicMergePatch } from '../patch/strategic.js'
import { type DecodedBody, decodeYaml, mediaType } from '../request/decode.js'
import { parseJson } from '../request/json.js'
import type { FieldValidation } from '../request/options.js'
import type { Resource } from '../resource.js'

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

const JSON_PATCH = 'application/json-patch+json'
const MERGE_PATCH = 'application/merge-patch+json'
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'
const APPLY_PATCH = 'application/apply-patch+yaml'
const APPLY_CBOR = 'application/apply-patch+cbor'

const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  [JSON_PATCH]: 'json',
  [MERGE_PATCH]: 'merge',
  [STRATEGIC_PATCH]: 'strategic',
  [APPLY_PATCH]: 'apply',
}

/** Which patch a content type says. Custom resources have no strategic merge. Throws a 415. */
export function patchTypeOf(resource: Resource, contentType: string | undefined): PatchType {
  const type = mediaType(contentType)
  const found = Object.hasOwn(PATCH_TYPES, type) && type !== APPLY_CBOR ? PATCH_TYPES[type] : undefined
  if (found === undefined || (found === 'strategic' && resource.custom)) {
    const accepted = [JSON_PATCH, MERGE_PATCH, ...(resource.custom ? [] : [STRATEGIC_PATCH]), APPLY_PATCH]
    throw unsupportedMediaType(accepted)
  }
  return found
}

/** Parses the body of an apply patch: YAML, of which JSON is a part. */
export function parseApplyBody(bytes: Buffer): DecodedBody {
  try {
    return decodeYaml(bytes)
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Parses the body of any other patch into the function that applies it. The function shares what it does not change. */
export function parsePatch(
  type: Exclude<PatchType, 'apply'>,
  bytes: Buffer,
  resource: Resource,
  validation: FieldValidation,
  warnings: string[],
): (current: KubeObject) => JsonObject {
  const { value, duplicates } = parseJson(bytes, 'error decoding patch')
  const problems = duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`)
  if (type === 'json') addAll(problems, unknownOperationFields(value as JsonObject))
  if (validation === 'Strict' && problems.length > 0) throw badRequest(`strict decoding error: ${problems.join(', ')}`)
  if (validation === 'Warn') addAll(warnings, problems)
  if (type === 'json') {
    return (current) => {
      const patched = jsonPatch(current as unknown as JsonObject, value as JsonObject)
      if (typeof patched !== 'object' || patched === null || Array.isArray(patched)) {
        throw badRequest('the patch replaces the whole object by something that is not an object')
      }
      return patched
    }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(
      `${type === 'merge' ? 'error decoding patch: ' : ''}json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`,
    )
  }
  const patch = value as JsonObject
  if (type === 'merge') return (current) => mergePatch(current as unknown as JsonObject, patch)
  return (current) => strategicMergePatch(current as unknown as JsonObject, patch, resource.schema)
}

function goKind(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value
}
