import { createHash } from 'node:crypto'
import { CONFIG_SPEC_HASH_ANNOTATION, type ServerSideApplyConfig, WORK_FIELD_MANAGER } from '@orrery/api'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { canonicalJson, isConflict, StatusError } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'
import { fieldsLeftAlone, withFieldsOf, withoutFields } from '../ignore/ignore-fields.js'
import { type ApplyRequest, converge } from './apply-request.js'
import { writeOwner } from './create-only.js'
import { desiredObject } from './desired.js'

/** Somebody else owns fields that the manifest sets. */
export class ApplyConflict extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
    this.name = 'ApplyConflict'
  }
}

/** Has the server of the cluster merge the manifest into the object. */
export function applyServerSide(request: ApplyRequest): Promise<DynamicObject> {
  const settings = request.manifest.strategy.serverSideApply
  return (settings?.ignoreFields?.length ?? 0) === 0
    ? applyWhole(request, settings)
    : applyInPart(request, settings as ServerSideApplyConfig)
}

async function applyWhole(request: ApplyRequest, settings: ServerSideApplyConfig | undefined): Promise<DynamicObject> {
  const apply = async () => send(request, request.desired, settings)
  const applied = await apply()
  // The answer may be out of date already: who owns the object is then worked out from what is there.
  return converge(
    { ...request, current: applied, isKnown: true },
    { create: apply, change: (current) => writeOwner(request, current) },
  )
}

/**
 * Leaves alone what the work wants left alone, and applies only what was not applied before: a hash of it is kept in an
 * annotation of the object.
 */
function applyInPart(request: ApplyRequest, settings: ServerSideApplyConfig): Promise<DynamicObject> {
  const { desired } = request
  const manifest = desired as unknown as JsonObject
  const paths = fieldsLeftAlone(manifest, settings.ignoreFields ?? [])
  // Of the manifest as the hub has it: a hash of what was sealed would let others guess it.
  const known = desiredObject(request.manifest.object) as unknown as JsonObject
  const hash = createHash('md5')
    .update(canonicalJson(withoutFields(known, paths)))
    .digest('hex')
  const marked = (object: JsonObject, resourceVersion?: string) =>
    withHash(object as unknown as KubeObject, hash, resourceVersion)
  const owned = (applied: DynamicObject) => writeOwner(request, applied)
  return converge(request, {
    create: async () => owned(await send(request, marked(manifest), settings)),
    change: async (current) => {
      if (current.metadata.annotations?.[CONFIG_SPEC_HASH_ANNOTATION] === hash) return owned(current)
      const object = withFieldsOf(manifest, paths, current as unknown as JsonObject)
      const { resourceVersion } = current.metadata
      return owned(await send(request, marked(object, resourceVersion), settings))
    },
  })
}

async function send(
  { manifest, client, signal, dryRun = false }: ApplyRequest,
  object: KubeObject,
  settings: ServerSideApplyConfig | undefined,
): Promise<DynamicObject> {
  const { force = false, fieldManager = WORK_FIELD_MANAGER } = settings ?? {}
  try {
    return await client.apply(manifest.kind, object, { fieldManager, force, signal, dryRun })
  } catch (error) {
    if (error instanceof StatusError && isConflict(error) && isAboutFields(error)) throw new ApplyConflict(error)
    throw error
  }
}

/** Conflicts of versions are conflicts too, but go away by themselves. */
function isAboutFields({ status }: StatusError): boolean {
  return status.details?.causes?.some(({ reason }) => reason === 'FieldManagerConflict') ?? false
}

function withHash(object: KubeObject, hash: string, resourceVersion: string | undefined): KubeObject {
  const annotations = { ...object.metadata.annotations, [CONFIG_SPEC_HASH_ANNOTATION]: hash }
  // What was read of the object must still be so.
  const version = resourceVersion === undefined ? {} : { resourceVersion }
  return { ...object, metadata: { ...object.metadata, ...version, annotations } }
}
