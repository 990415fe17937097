import { ManifestWorkReplicaSet, TEMPLATING_ANNOTATION, WORK_GROUP } from '@orrery/api'
import { badRequest, forbidden, jsonEqual } from '@orrery/kinds/values'
import { type AccessReview, requireAccess } from './access-review.js'
import { accountToCheck, executeAs } from './executor.js'
import { checkManifests, checkPatterns } from './manifests.js'
import type { RuleSettings, ValidatingRule } from './rule.js'

const RESOURCE = { group: WORK_GROUP, resource: ManifestWorkReplicaSet.plural }

/**
 * Which manifests the works of a replica set may have, and who may apply them with which service account. Denies replica
 * sets if the feature gate is off.
 */
export function replicaSetRule({ features, manifestLimit }: RuleSettings): ValidatingRule {
  return {
    name: 'ManifestWorkReplicaSetValidating',
    kind: ManifestWorkReplicaSet,
    validate({ object, oldObject, user }, queries) {
      const set = object as unknown as ManifestWorkReplicaSet
      const before = oldObject as ManifestWorkReplicaSet | undefined
      const keepsSpec = before !== undefined && jsonEqual(set.spec, before.spec)
      if (keepsSpec && templatingOf(set) === templatingOf(before)) return undefined
      if (!keepsSpec) checkSpec(set, features.ManifestWorkReplicaSet, manifestLimit)
      const review = executorReview(set, features.NilExecutorValidating)
      return review === undefined ? undefined : requireAccess([review], user, queries)
    },
  }
}

function checkSpec({ metadata, spec }: ManifestWorkReplicaSet, isEnabled: boolean, limit: number): void {
  if (!isEnabled) throw forbidden(RESOURCE, metadata.name, 'ManifestWorkReplicaSet feature is disabled')
  const manifests = spec?.manifestWorkTemplate?.workload?.manifests ?? []
  if (manifests.length === 0) throw badRequest('Workload manifests should not be empty')
  checkManifests(manifests, limit)
  checkPatterns(spec?.manifestWorkTemplate?.manifestConfigs)
}

/**
 * The hub writes the works and may use any service account, so the author of the replica set needs the permission. Placements
 * select other clusters later, and others may write them: the permission must cover all clusters.
 */
function executorReview({ metadata, spec }: ManifestWorkReplicaSet, checksAgents: boolean): AccessReview | undefined {
  const account = accountToCheck(spec?.manifestWorkTemplate, checksAgents)
  if (account === undefined) return undefined
  const who = `${account.namespace}/${account.name}`
  return {
    attributes: executeAs(account),
    refusal: (username) => {
      const why = `user ${username} cannot manipulate the ManifestWorkReplicaSet with executor ${who}`
      return forbidden(RESOURCE, metadata.name, `${why}: that takes execute-as on manifestworks in all namespaces`)
    },
  }
}

/** Whether manifests are templates, which changes what is applied. */
function templatingOf({ metadata }: ManifestWorkReplicaSet): string {
  return metadata.annotations?.[TEMPLATING_ANNOTATION] ?? 'false'
}
