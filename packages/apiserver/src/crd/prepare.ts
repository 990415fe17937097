import { formatTime, setCondition } from '@orrery/kinds/values'
import { type Crd, storageVersionOf } from './types.js'

/** The finalizer that keeps a deleted definition until its objects are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io'

const WEBHOOK_PORT = 443

/** Applies the defaults of a definition in place. */
export function defaultCrd(crd: Crd): void {
  const { spec } = crd
  spec.versions ??= []
  const names = spec.names
  if (!names.singular) names.singular = (names.kind ?? '').toLowerCase()
  if (!names.listKind && names.kind) names.listKind = `${names.kind}List`
  spec.conversion ??= { strategy: 'None' }
  const service = spec.conversion.webhook?.clientConfig?.service
  if (service) service.port ??= WEBHOOK_PORT
}

/** Prepares a new definition in place (PrepareForCreate): the server owns its status. */
export function prepareCrdCreate(crd: Crd): void {
  crd.status = { storedVersions: [] }
  recordStorageVersion(crd)
}

/** Prepares an updated definition in place (PrepareForUpdate): the status stays, with a new storage version added. */
export function prepareCrdUpdate(crd: Crd, old: Crd): void {
  crd.status = { ...old.status, storedVersions: [...(old.status?.storedVersions ?? [])] }
  recordStorageVersion(crd)
}

/** Prepares a definition in place for its deletion. The finalizer makes the server delete its objects first. */
export function prepareCrdDelete(crd: Crd, now: Date): void {
  crd.metadata.deletionTimestamp ??= formatTime(now)
  const finalizers = crd.metadata.finalizers ?? []
  if (!finalizers.includes(CLEANUP_FINALIZER)) crd.metadata.finalizers = [...finalizers, CLEANUP_FINALIZER]
  crd.status ??= {}
  crd.status.conditions = setCondition(
    crd.status.conditions,
    {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
    now,
  )
}

function recordStorageVersion(crd: Crd): void {
  const stored = crd.status?.storedVersions
  const name = storageVersionOf(crd)?.name
  if (stored && name !== undefined && !stored.includes(name)) stored.push(name)
}
