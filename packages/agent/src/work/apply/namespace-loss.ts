import { isNotFound, StatusError } from '@orrery/kinds/values'

/** Whether an object was rejected because its namespace does not exist. */
export function lacksNamespace(error: unknown): boolean {
  return error instanceof StatusError && isNotFound(error) && error.status.details?.kind === 'namespaces'
}

/** Whether an object was rejected because its namespace is being deleted. */
export function losesNamespace(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false
  const { status, message } = error
  const isCause = status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false
  return isCause || message.includes('because it is being terminated')
}
