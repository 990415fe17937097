import type { JsonObject, KubeObject, ManagedFieldsEntry } from '@orrery/kinds'
import { conflict } from '@orrery/kinds/values'
import type { KindLogic } from '../../registry/kind-logic.js'
import { MODIFIED_MESSAGE } from '../../registry/modify.js'
import { applyOwned } from '../../registry/ownership.js'
import type { Projection } from './projection.js'

/**
 * Returns the live object with only the fields of the subresource taken from the sent object. Neither object is
 * modified.
 */
type Narrow = (live: KubeObject, sent: KubeObject) => KubeObject

/** Returns a projection of the same kind: the whole object is shown, a part of it is written. */
export function narrowedProjection(kind: KindLogic, narrow: Narrow): Projection {
  const write = (live: KubeObject, sent: KubeObject): KubeObject => {
    const version = sent.metadata.resourceVersion ?? ''
    if (version !== '' && version !== live.metadata.resourceVersion) {
      const { group, plural } = kind.resource
      throw conflict({ group, resource: plural }, live.metadata.name ?? '', MODIFIED_MESSAGE)
    }
    return narrow(live, sent)
  }
  return {
    kind,
    read: (live) => live,
    write: (_context, live, sent) => write(live, sent),
    ownsFields: false,
    apply(context, live, config, clock) {
      const applied = applyOwned(context, live, config, clock)
      return withManagedFields(write(live, applied), applied.metadata.managedFields)
    },
  }
}

/** Returns the object with other managed fields. */
export function withManagedFields(
  object: KubeObject,
  managedFields: readonly ManagedFieldsEntry[] | undefined,
): KubeObject {
  const { managedFields: _before, ...metadata } = object.metadata
  return { ...object, metadata: { ...metadata, ...(managedFields !== undefined && { managedFields }) } }
}

/** The `finalize` subresource of a namespace: only `spec.finalizers`. */
export const finalize: Narrow = (live, sent) => {
  const finalizers = (sent.spec as { finalizers?: string[] } | undefined)?.finalizers ?? []
  return { ...live, metadata: { ...live.metadata }, spec: { ...(live.spec as object | undefined), finalizers } }
}

/**
 * The `approval` subresource of a CertificateSigningRequest: metadata and conditions, but never the certificate, which
 * only signers write.
 */
export const approval: Narrow = (live, sent) => {
  const { certificate: _sent, ...status } = (sent.status ?? {}) as JsonObject
  const { certificate } = (live.status ?? {}) as JsonObject
  return {
    ...live,
    metadata: { ...sent.metadata },
    status: { ...status, ...(certificate !== undefined && { certificate }) },
  }
}

/** The `ephemeralcontainers` subresource of a pod: only this list. */
export const ephemeralContainers: Narrow = (live, sent) => {
  const list = (sent.spec as JsonObject | undefined)?.ephemeralContainers
  const spec = { ...(live.spec as JsonObject) }
  if (list === undefined) delete spec.ephemeralContainers
  else spec.ephemeralContainers = list
  return { ...live, metadata: { ...live.metadata }, spec }
}

interface Container {
  readonly name: string
  readonly resources?: JsonObject
  readonly resizePolicy?: JsonObject[]
}

/** The `resize` subresource of a pod: only the resources of its containers. */
export const resize: Narrow = (live, sent) => {
  const take = (field: 'containers' | 'initContainers') => {
    const sentList = ((sent.spec as JsonObject | undefined)?.[field] ?? []) as unknown as Container[]
    const byName = new Map(sentList.map((container) => [container.name, container]))
    return (((live.spec as JsonObject)[field] ?? []) as unknown as Container[]).map((container) => {
      const wanted = byName.get(container.name)
      return wanted?.resources === undefined ? container : { ...container, resources: wanted.resources }
    })
  }
  const spec: Record<string, unknown> = { ...(live.spec as JsonObject), containers: take('containers') }
  if ((live.spec as JsonObject).initContainers !== undefined) spec.initContainers = take('initContainers')
  return { ...live, metadata: { ...live.metadata }, spec }
}
