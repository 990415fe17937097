import { failure, methodNotAllowed, noSuchPath, type StatusError } from '@orrery/kube'
import type { ResourceCall } from './resource.js'

const ITEM_VERBS = ['get', 'update', 'patch', 'delete'] as const

/** The failure for a method that a path does not take. Custom resources name the verb, built-in ones do not. */
export function methodRefused({ target, logic: { resource } }: ResourceCall): StatusError {
  if (resource.custom) return methodNotAllowed({ group: resource.group, resource: resource.plural }, target.verb)
  const hasItems = ITEM_VERBS.some((verb) => resource.verbs.includes(verb))
  if (target.name !== '' && target.subresource === '' && !hasItems) return noSuchPath()
  return failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})
}
