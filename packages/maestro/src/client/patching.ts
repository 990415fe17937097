import type { ManifestWork, NewManifestWork } from '@orrery/api'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import { jsonPatch, mergePatch, strategicMergePatch } from '@orrery/kinds/patch'
import type { StructSchema } from '@orrery/kinds/tables'
import { badRequest, isObject } from '@orrery/kinds/values'

export type WorkPatchType = 'merge' | 'json' | 'strategic'

/** A patch: an object, or a list of operations of a JSON patch. */
export type WorkPatch = object

/** The patched work. Throws `StatusError` if the patch is not valid or does not apply. */
export async function patchedWork(work: ManifestWork, patch: WorkPatch, type: WorkPatchType): Promise<NewManifestWork> {
  const document = work as unknown as JsonObject
  const change = patch as JsonValue
  const patched =
    type === 'json'
      ? jsonPatch(document, change)
      : type === 'merge'
        ? mergePatch(document, change)
        : strategicMergePatch(document, change, await workSchema())
  if (!isObject(patched) || !isObject(patched.metadata)) throw badRequest('the patch removes the metadata of the work')
  return patched as unknown as NewManifestWork
}

/** Lists of a work are replaced; those of its metadata are merged as in any object. */
async function workSchema(): Promise<StructSchema> {
  const { metaSchemas } = await import('@orrery/kinds/tables')
  const metadata = { name: 'metadata', schema: metaSchemas.ObjectMeta, required: false }
  return {
    type: 'struct',
    fields: new Map([['metadata', metadata]]),
    preserveUnknown: true,
    atomic: false,
    embedded: false,
  }
}
