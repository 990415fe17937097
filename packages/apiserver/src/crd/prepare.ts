import { formatTime, setCondition } from '@orrery/kinds/values'
import { type Crd, storageVersionOf } from './types.js'

/** Keeps a definition that is being deleted until its objects have gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io'

const WEBHOOK_PORT = 443

/** Fills in, in place, what a definition leaves unsaid. */
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

/** Readies, in place, a new definition for being stored: its status is the server's. */
export function prepareCrdCreate(crd: Crd): void {
  crd.status = { storedVersions: [] }
  recordStorageVersion(crd)
}

/** Readies, in place, a changed definition for being stored: the status stays, but learns of a new storage version. */
export function prepareCrdUpdate(crd: Crd, old: Crd): void {
  crd.status = { ...old.status, storedVersions: [...(old.status?.storedVersions ?? [])] }
  recordStorageVersion(crd)
}

/** Marks, in place, a definition at the first request to delete it. The finalizer makes its objects go first. */
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
