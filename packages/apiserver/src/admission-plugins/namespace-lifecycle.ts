import { forbidden, notFound } from '@orrery/kinds/values'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/types.js'
import type { Entry, Store } from '../store/types.js'

const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])
const NAMESPACES = 'namespaces'

/** Refuses objects in missing or terminating namespaces, and the deletion of system namespaces (NamespaceLifecycle). */
export function namespaceLifecycle(store: Store): AdmissionPlugin {
  const terminating = new WeakMap<Entry, boolean>()
  const isTerminating = (entry: Entry): boolean => {
    let answer = terminating.get(entry)
    if (answer === undefined) {
      answer = (entry.object().status as { phase?: string } | undefined)?.phase === 'Terminating'
      terminating.set(entry, answer)
    }
    return answer
  }
  const check = (request: AdmissionRequest): void => {
    const { operation, resource, namespace } = request
    const { bucket } = resource.storage
    if (bucket === NAMESPACES) {
      if (operation !== 'DELETE' || !IMMORTAL.has(request.name)) return
      throw forbidden({ group: '', resource: NAMESPACES }, request.name, 'this namespace may not be deleted')
    }
    // The results of access reviews must not show whether a namespace exists.
    if (namespace === '' || operation !== 'CREATE' || bucket === 'localsubjectaccessreviews.authorization.k8s.io')
      return
    const entry = store.head(NAMESPACES, '', namespace)
    if (entry === undefined) throw notFound({ group: '', resource: NAMESPACES }, namespace)
    if (isTerminating(entry)) throw terminatingError(request)
  }
  // Checked early for a clear error, and again right before the write.
  return { name: 'NamespaceLifecycle', mutate: check, validate: check }
}

function terminatingError({ resource, namespace, name }: AdmissionRequest): Error {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  const error = forbidden({ group: resource.group, resource: resource.plural }, name, why)
  error.status.details = {
    ...error.status.details,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  }
  return error
}
