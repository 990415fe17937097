import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '@orrery/kinds'
import { formatQuantity, keyOf, refOf } from '@orrery/kinds/values'
import type { QuotaLedger } from '../admission-plugins/quota/ledger.js'
import type { Change } from '../store/types.js'
import { allKeys, type Controller, type ControllerContext, changedKey, reconciler } from './controller.js'
import { RESOURCE_QUOTAS } from './resources.js'

const BUCKET = 'resourcequotas'

/** Writes the usage of every quota to its status. */
export function quotaStatus(context: ControllerContext): Controller {
  const { client, store, quotas } = context
  return reconciler(context, {
    name: 'quota-status',
    wakes: { [BUCKET]: (change) => (change.type === 'DELETED' ? undefined : changedKey(change)) },
    wakesOnEvery: (change) => affectedBy(quotas, store.count(BUCKET) > 0, change),
    first: () => allKeys(store, BUCKET),
    async reconcile(key) {
      const { namespace = '', name } = refOf(key)
      const used = quotas.quotasIn(namespace).get(name)?.used()
      if (used === undefined) return
      const shown = Object.fromEntries([...used].map(([resource, amount]) => [resource, formatQuantity(amount)]))
      await client.change(RESOURCE_QUOTAS, namespace, name, (live) => withStatus(live, shown), 'status')
    },
  })
}

function affectedBy(ledger: QuotaLedger, anyQuotas: boolean, { entry }: Change): readonly string[] | undefined {
  if (!anyQuotas || entry.namespace === '') return undefined
  const keys: string[] = []
  for (const quota of ledger.quotasIn(entry.namespace).values()) {
    if (quota.buckets.has(entry.bucket)) keys.push(keyOf({ namespace: entry.namespace, name: quota.name }))
  }
  return keys
}

function withStatus(live: KubeObject, used: Readonly<Record<string, string>>): KubeObject {
  const { hard = {} } = (live.spec ?? {}) as { hard?: Record<string, string> }
  const status = { hard, used }
  return isDeepStrictEqual(live.status, status) ? live : { ...live, status }
}
