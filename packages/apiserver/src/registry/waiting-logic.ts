import { formatGroupVersion } from '@orrery/kinds/values'
import type { WaitFor } from './context.js'
import type { KindLogic } from './kind-logic.js'

/**
 * Returns the logic for one request, which waits for conversion webhooks with `waitFor`. Objects that need no webhook
 * are still converted synchronously.
 */
export function waitingLogic(logic: KindLogic, waitFor: WaitFor): KindLogic {
  if (!logic.convertsRemotely) return logic
  const { group, version, storage } = logic.resource
  const apiVersion = formatGroupVersion(group, version)
  return {
    ...logic,
    fromStorage: (object) =>
      object.apiVersion === apiVersion
        ? logic.fromStorage(object)
        : waitFor(() => Promise.resolve(logic.fromStorage(object))),
    toStorage: (object) =>
      version === storage.version ? logic.toStorage(object) : waitFor(() => Promise.resolve(logic.toStorage(object))),
  }
}
