import { createHash } from 'node:crypto'
import { CONFIG_SPEC_HASH_ANNOTATION, type ServerSideApplyConfig, WORK_FIELD_MANAGER } from '@orrery/api'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { canonicalJson, isConflict, StatusError } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'
import { fieldsLeftAlone, withFieldsOf, withoutFields } from '../ignore/ignore-fields.js'
import { type ApplyRequest, converge } from './apply-request.js'
import { writeOwner } from './create-only.js'
import { desiredObject } from './desired.js'

/** Another manager owns fields that the manifest sets. */
export class ApplyConflict extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
    this.name = 'ApplyConflict'
  }
}

/** Applies the manifest with server-side apply. */
export function applyServerSide(request: ApplyRequest): Promise<DynamicObject> {
  const settings = request.manifest.strategy.serverSideApply
  return (settings?.ignoreFields?.length ?? 0) === 0
    ? applyWhole(request, settings)
    : applyInPart(request, settings as ServerSideApplyConfig)
}

async function applyWhole(request: ApplyRequest, settings: ServerSideApplyConfig | undefined): Promise<DynamicObject> {
  const apply = async () => send(request, request.desired, settings)
  const applied = await apply()
  // The response may be stale already: the owner references are set on the current object.
  return converge(
    { ...request, current: applied, isKnown: true },
    { create: apply, change: (current) => writeOwner(request, current) },
  )
}

/** Omits the fields in `ignoreFields`, and applies a manifest only once: an annotation of the object holds its hash. */
function applyInPart(request: ApplyRequest, settings: ServerSideApplyConfig): Promise<DynamicObject> {
  const { desired } = request
  const manifest = desired as unknown as JsonObject
  const paths = fieldsLeftAlone(manifest, settings.ignoreFields ?? [])
  // The hash is of the manifest as the hub has it: a hash of the revealed values would help others to guess them.
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

/** Version conflicts have the same reason, but a retry solves them. */
function isAboutFields({ status }: StatusError): boolean {
  return status.details?.causes?.some(({ reason }) => reason === 'FieldManagerConflict') ?? false
}

function withHash(object: KubeObject, hash: string, resourceVersion: string | undefined): KubeObject {
  const annotations = { ...object.metadata.annotations, [CONFIG_SPEC_HASH_ANNOTATION]: hash }
  // Fails if the object changed since it was read.
  const version = resourceVersion === undefined ? {} : { resourceVersion }
  return { ...object, metadata: { ...object.metadata, ...version, annotations } }
}
