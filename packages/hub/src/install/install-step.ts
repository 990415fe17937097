import type { ApiObject, Draft, Kind } from '@orrery/kinds'
import { ensure, type KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { HUB_FIELD_MANAGER } from '../field-manager.js'

/** Installs one object of a hub. */
export type InstallStep = (client: KubeClient, options: CallOptions) => Promise<void>

/** Keeps an object up to date. Writes nothing if it is. */
export function ensured<T extends ApiObject>(kind: Kind<T>, draft: Draft<T>): InstallStep {
  return async (client, options) => {
    const current = await client.find(kind, refOfDraft(draft), options)
    await ensure(client, kind, draft, current, { ...options, fieldManager: HUB_FIELD_MANAGER })
  }
}

/** Creates an object if it does not exist, and does not change it otherwise. */
export function created<T extends ApiObject>(kind: Kind<T>, draft: Draft<T>): InstallStep {
  return async (client, options) => {
    if ((await client.find(kind, refOfDraft(draft), options)) !== undefined) return
    await client.apply(kind, draft, { ...options, fieldManager: HUB_FIELD_MANAGER })
  }
}

function refOfDraft({ metadata: { namespace, name = '' } }: Draft<ApiObject>) {
  return { namespace, name }
}
