import type { ControllerContext } from './controller.js'
import { NAMESPACES } from './resources.js'

/** Returns whether a namespace exists and is not being deleted: nothing can be created in a terminating one. */
export function isActiveNamespace({ client }: ControllerContext, name: string): boolean {
  const namespace = client.get(NAMESPACES, '', name)
  return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined
}
