import { isDNS1123Label, isDNS1123Subdomain } from '@orrery/kinds/values'

const USERNAME_PREFIX = 'system:serviceaccount:'
const ALL_SERVICE_ACCOUNTS = 'system:serviceaccounts'

export interface ServiceAccountName {
  readonly namespace: string
  readonly name: string
}

/** Returns `system:serviceaccount:<namespace>:<name>`, the user name of a service account. */
export function serviceAccountUsername(namespace: string, name: string): string {
  return `${USERNAME_PREFIX}${namespace}:${name}`
}

/** Returns the groups of the service accounts of a namespace. */
export function serviceAccountGroups(namespace: string): string[] {
  return [ALL_SERVICE_ACCOUNTS, `${ALL_SERVICE_ACCOUNTS}:${namespace}`]
}

/** Returns the service account of a user name; undefined for other users. */
export function parseServiceAccountUsername(username: string): ServiceAccountName | undefined {
  if (!username.startsWith(USERNAME_PREFIX)) return undefined
  const parts = username.slice(USERNAME_PREFIX.length).split(':')
  const [namespace, name] = parts
  if (parts.length !== 2 || namespace === undefined || name === undefined) return undefined
  if (isDNS1123Label(namespace).length > 0 || isDNS1123Subdomain(name).length > 0) return undefined
  return { namespace, name }
}
