import { ManifestWorkReplicaSet, TEMPLATING_ANNOTATION, WORK_GROUP } from '@orrery/api'
import { badRequest, forbidden, jsonEqual } from '@orrery/kinds/values'
import { type Claim, requireClaims } from './claim.js'
import { accountToCheck, rightTo } from './executor.js'
import { checkManifests } from './manifests.js'
import type { RuleSettings, ValidatingRule } from './rule.js'

const RESOURCE = { group: WORK_GROUP, resource: ManifestWorkReplicaSet.plural }

/**
 * What the works of a replica set may consist of, and who may have them applied in whose name. A hub that would make none
 * of them says so.
 */
export function replicaSetRule({ features, manifestLimit }: RuleSettings): ValidatingRule {
  return {
    name: 'ManifestWorkReplicaSetValidating',
    kind: ManifestWorkReplicaSet,
    validate({ object, oldObject, user }, inquiries) {
      const set = object as unknown as ManifestWorkReplicaSet
      const before = oldObject as ManifestWorkReplicaSet | undefined
      const keepsSpec = before !== undefined && jsonEqual(set.spec, before.spec)
      if (keepsSpec && templatingOf(set) === templatingOf(before)) return undefined
      if (!keepsSpec) checkSpec(set, features.ManifestWorkReplicaSet, manifestLimit)
      const claim = executorClaim(set, features.NilExecutorValidating)
      return claim === undefined ? undefined : requireClaims([claim], user, inquiries)
    },
  }
}

function checkSpec({ metadata, spec }: ManifestWorkReplicaSet, isEnabled: boolean, limit: number): void {
  if (!isEnabled) throw forbidden(RESOURCE, metadata.name, 'ManifestWorkReplicaSet feature is disabled')
  const manifests = spec?.manifestWorkTemplate?.workload?.manifests ?? []
  if (manifests.length === 0) throw badRequest('Workload manifests should not be empty')
  checkManifests(manifests, limit)
}

/**
 * The works are written by the hub, which may have them applied in anybody's name: so their author is judged here.
 * Placements choose clusters later, too, and others may write them: the right has to be one to the account on all clusters.
 */
function executorClaim({ metadata, spec }: ManifestWorkReplicaSet, checksAgents: boolean): Claim | undefined {
  const account = accountToCheck(spec?.manifestWorkTemplate, checksAgents)
  if (account === undefined) return undefined
  const who = `${account.namespace}/${account.name}`
  return {
    attributes: rightTo(account),
    refusal: (username) => {
      const why = `user ${username} cannot manipulate the ManifestWorkReplicaSet with executor ${who}`
      return forbidden(RESOURCE, metadata.name, `${why}: that takes execute-as on manifestworks in all namespaces`)
    },
  }
}

/** Whether manifests are filled in, which makes others of them. */
function templatingOf({ metadata }: ManifestWorkReplicaSet): string {
  return metadata.annotations?.[TEMPLATING_ANNOTATION] ?? 'false'
}
