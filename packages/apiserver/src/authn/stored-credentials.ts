import type { KubeObject } from '@orrery/kinds'
import type { Store } from '../store/types.js'
import type { CredentialResource, FindObject } from './credentials.js'

/** Returns stored objects that credentials depend on. */
export function storedCredentials(store: Store): FindObject {
  return (resource, namespace, name): KubeObject | undefined => store.get(resource, namespace, name)?.object()
}

const CREDENTIAL_BUCKETS: ReadonlySet<string> = new Set<CredentialResource>([
  'serviceaccounts',
  'secrets',
  'pods',
  'nodes',
])

/** Calls back when an object that credentials depend on was changed or deleted. Returns a function that stops it. */
export function onCredentialChange(
  store: Store,
  forget: (resource: CredentialResource, namespace: string, name: string) => void,
): () => void {
  return store.subscribe((changes) => {
    for (const { entry, type } of changes) {
      if (type !== 'ADDED' && CREDENTIAL_BUCKETS.has(entry.bucket)) {
        forget(entry.bucket as CredentialResource, entry.namespace, entry.name)
      }
    }
  })
}
