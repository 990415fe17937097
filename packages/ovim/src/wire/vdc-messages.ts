import { present, readMessage } from './fields.js'

/** `POST /vdc/status`: the phase of a data center on the cluster, sent when it changes. */
export interface VdcStatusMessage {
  readonly name: string
  readonly namespace: string
  readonly phase: string
  readonly org_namespace: string
  readonly target_namespace: string
  readonly operation_id: string
  readonly cluster_id: string
  readonly retry_count: number
  readonly message?: string
}

/** `POST /vdc/deletion`: a data center is gone from the cluster. */
export interface VdcDeletionMessage {
  readonly name: string
  readonly namespace: string
  readonly operation_id: string
  readonly cluster_id: string
  readonly status: string
  readonly workload_namespace: string
  readonly org_namespace: string
  readonly cleanup_completed: boolean
  readonly deleted_at: string
  readonly resources_cleaned: readonly string[]
}

export function readVdcStatusMessage(value: unknown): VdcStatusMessage {
  return readMessage('the status of the virtual data center', value, (fields) =>
    present({
      name: fields.requiredText('name'),
      namespace: fields.requiredText('namespace'),
      phase: fields.requiredText('phase'),
      org_namespace: fields.text('org_namespace') ?? '',
      target_namespace: fields.text('target_namespace') ?? '',
      operation_id: fields.text('operation_id') ?? '',
      cluster_id: fields.text('cluster_id') ?? '',
      retry_count: fields.count('retry_count') ?? 0,
      message: fields.text('message'),
    }),
  )
}

export function readVdcDeletionMessage(value: unknown): VdcDeletionMessage {
  return readMessage('the deletion of the virtual data center', value, (fields) => ({
    name: fields.requiredText('name'),
    namespace: fields.requiredText('namespace'),
    operation_id: fields.text('operation_id') ?? '',
    cluster_id: fields.text('cluster_id') ?? '',
    status: fields.text('status') ?? 'deleted',
    workload_namespace: fields.text('workload_namespace') ?? '',
    org_namespace: fields.text('org_namespace') ?? '',
    cleanup_completed: fields.boolean('cleanup_completed') ?? false,
    deleted_at: fields.time('deleted_at') ?? '',
    resources_cleaned: fields.textList('resources_cleaned') ?? [],
  }))
}
