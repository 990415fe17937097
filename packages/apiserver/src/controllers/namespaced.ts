import type { ControllerContext } from './controller.js'
import { NAMESPACES } from './resources.js'

/** Whether a namespace is there to stay: nothing new can be put into one that is being deleted. */
export function isActiveNamespace({ client }: ControllerContext, name: string): boolean {
  const namespace = client.get(NAMESPACES, '', name)
  return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined
}
