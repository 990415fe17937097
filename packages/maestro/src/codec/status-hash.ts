import { createHash } from 'node:crypto'
import type { ManifestStatus, ManifestWorkStatus } from '@orrery/api'
import { formatGoJson } from '@orrery/kinds/values'

/** The hash of a resource that has no status yet. */
export const NO_STATUS_HASH: string = sha256('')

/**
 * The hash of a status in resync requests: SHA-256 of its JSON with sorted keys. Agents and servers in Go must compute
 * the same, so fields that Go always writes are filled in.
 */
export function statusHash(status: ManifestWorkStatus | undefined): string {
  const { conditions = [], resourceStatus } = status ?? {}
  const manifests = resourceStatus?.manifests ?? []
  return sha256(
    formatGoJson({
      ...(conditions.length > 0 && { conditions: conditions.map(conditionAsInGo) }),
      resourceStatus: manifests.length > 0 ? { manifests: manifests.map(manifestAsInGo) } : {},
    }),
  )
}

type Condition = ManifestStatus['conditions'][number]

function manifestAsInGo({ resourceMeta, statusFeedback, conditions }: ManifestStatus): object {
  const values = statusFeedback?.values ?? []
  return {
    resourceMeta: { group: '', version: '', kind: '', resource: '', name: '', namespace: '', ...resourceMeta },
    statusFeedback: values.length > 0 ? { values } : {},
    conditions: conditions.map(conditionAsInGo),
  }
}

/** Go omits a generation of 0. */
function conditionAsInGo({ observedGeneration, ...condition }: Condition): object {
  return observedGeneration === undefined || observedGeneration === 0 ? condition : { ...condition, observedGeneration }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
