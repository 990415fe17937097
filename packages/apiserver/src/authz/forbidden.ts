import { forbidden, type StatusError } from '@orrery/kinds/values'
import type { AccessRequest } from '../identity/identity.js'

/** Returns the 403 of a request that no rule allows. */
export function forbiddenAccess(request: AccessRequest, reason: string): StatusError {
  const message = escapeHtml(describe(request))
  const why = reason === '' ? message : `${message}: ${reason}`
  return forbidden({ group: request.group, resource: request.resource }, request.name, why)
}

function describe({
  identity,
  verb,
  group,
  resource,
  subresource,
  namespace,
  path,
  isResource,
}: AccessRequest): string {
  const user = JSON.stringify(identity.username)
  if (!isResource) return `User ${user} cannot ${verb} path ${JSON.stringify(path)}`
  const what = JSON.stringify(subresource === '' ? resource : `${resource}/${subresource}`)
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`
  return `User ${user} cannot ${verb} resource ${what} in API group ${JSON.stringify(group)} ${where}`
}

/** The message contains parts of the URL and must not be interpreted as HTML by a browser. */
function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
