import { failure, methodNotAllowed, noSuchPath, notFound, type StatusError } from '@orrery/kinds/values'
import type { ResourceCall } from './resource.js'

const ITEM_VERBS = ['get', 'update', 'patch', 'delete'] as const

/**
 * The error for a method that a resource path does not support. Custom resources name the verb, built-in ones do not.
 */
export function methodRefused({ target, logic: { resource } }: ResourceCall): StatusError {
  if (resource.custom) return methodNotAllowed({ group: resource.group, resource: resource.plural }, target.verb)
  const hasItems = ITEM_VERBS.some((verb) => resource.verbs.includes(verb))
  if (target.name !== '' && target.subresource === '' && !hasItems) return noSuchPath()
  return noSuchMethod()
}

/** The error for a method that a route of the server does not support. */
export function noSuchMethod(): StatusError {
  return failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})
}

/** The error for an unknown subresource. Custom resources name the object, built-in ones do not. */
export function noSuchSubresource({ target, logic: { resource } }: ResourceCall): StatusError {
  return resource.custom ? notFound({ group: resource.group, resource: resource.plural }, target.name) : noSuchPath()
}
