import type { ApiObject, Draft, Kind } from '@orrery/kinds'
import { type CallOptions, ensure, type KubeClient } from '@orrery/kube'
import { HUB_FIELD_MANAGER } from '../field-manager.js'

/** Something that a hub needs to be there. */
export interface Piece {
  /** Makes sure that it is. Nothing is written when it was. */
  install(client: KubeClient, options: CallOptions): Promise<void>
}

/** An object that a hub needs. `adapt` may have it take on something of what is there already. */
export function piece<T extends ApiObject>(
  kind: Kind<T>,
  draft: Draft<T>,
  adapt: (draft: Draft<T>, current: T | undefined) => Draft<T> = (same) => same,
): Piece {
  return {
    async install(client, options) {
      const { namespace, name = '' } = draft.metadata
      const current = await client.find(kind, { namespace, name }, options)
      const wanted = adapt(draft, current)
      await ensure(client, kind, wanted, current, { ...options, fieldManager: HUB_FIELD_MANAGER })
    },
  }
}

/** An object that only has to exist: it is created when it is missing, and left alone otherwise. */
export function ifMissing<T extends ApiObject>(kind: Kind<T>, draft: Draft<T>): Piece {
  return {
    async install(client, options) {
      const { namespace, name = '' } = draft.metadata
      if ((await client.find(kind, { namespace, name }, options)) !== undefined) return
      await client.apply(kind, draft, { ...options, fieldManager: HUB_FIELD_MANAGER })
    },
  }
}
