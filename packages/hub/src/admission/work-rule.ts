import { ManifestWork, ManifestWorkDryRun } from '@orrery/api'
import { badRequest, forbidden, jsonEqual } from '@orrery/kinds/values'
import { type Claim, requireClaims } from './claim.js'
import { accountToCheck, rightTo } from './executor.js'
import { checkManifests } from './manifests.js'
import type { RuleSettings, ValidatingRule } from './rule.js'

/** What a work may consist of, and who may have it applied in whose name. */
export function workRule({ features, manifestLimit }: RuleSettings): ValidatingRule {
  return {
    name: 'ManifestWorkValidating',
    kind: ManifestWork,
    validate({ object, oldObject, user }, inquiries) {
      const work = object as unknown as ManifestWork
      const before = oldObject as ManifestWork | undefined
      // What is stored already must not keep an agent from its finalizer, nor anybody from adding a label.
      if (before !== undefined && jsonEqual(work.spec ?? {}, before.spec ?? {})) return undefined
      checkWorkload(work, before, manifestLimit)
      const claim = executorClaim(work, features.NilExecutorValidating)
      return claim === undefined ? undefined : requireClaims([claim], user, inquiries)
    },
  }
}

/** A dry run shows what a work would change, so that it takes the same permissions. */
export function dryRunRule({ features }: RuleSettings): ValidatingRule {
  return {
    name: 'ManifestWorkDryRunValidating',
    kind: ManifestWorkDryRun,
    validate({ object, oldObject, user }, inquiries) {
      const dryRun = object as unknown as ManifestWorkDryRun
      const before = oldObject as ManifestWorkDryRun | undefined
      if (before !== undefined && jsonEqual(dryRun.spec, before.spec)) return undefined
      // The manifests need not fit into one work: large ones are split when they are applied.
      checkManifests(dryRun.spec.workload.manifests, Number.POSITIVE_INFINITY)
      const claim = executorClaim(dryRun, features.NilExecutorValidating)
      return requireClaims([creationClaim(dryRun), ...(claim === undefined ? [] : [claim])], user, inquiries)
    },
  }
}

function creationClaim({ metadata: { namespace = '', name } }: ManifestWorkDryRun): Claim {
  const { group, plural } = ManifestWork
  return {
    attributes: { group, resource: plural, verb: 'create', namespace },
    refusal: (username) =>
      forbidden(
        { group: ManifestWorkDryRun.group, resource: ManifestWorkDryRun.plural },
        name,
        `user ${JSON.stringify(username)} cannot create manifestworks in namespace ${JSON.stringify(namespace)}: ` +
          'a dry run shows objects of the cluster, and takes the same permission',
      ),
  }
}

function checkWorkload({ spec }: ManifestWork, before: ManifestWork | undefined, limit: number): void {
  const manifests = spec?.workload?.manifests ?? []
  if (before !== undefined && jsonEqual(manifests, before.spec?.workload?.manifests ?? [])) return
  if (manifests.length === 0) throw badRequest('manifests should not be empty')
  checkManifests(manifests, limit)
}

/**
 * Whoever says what is applied in somebody's name must have the right to that name, also when the name stays and only
 * the manifests change.
 */
function executorClaim(
  { metadata: { namespace }, spec }: ManifestWork | ManifestWorkDryRun,
  checksAgents: boolean,
): Claim | undefined {
  const account = accountToCheck(spec, checksAgents)
  if (account === undefined) return undefined
  const who = `${account.namespace}/${account.name}`
  return {
    attributes: rightTo(account, namespace),
    refusal: (username) =>
      badRequest(`user ${username} cannot manipulate the Manifestwork with executor ${who} in namespace ${namespace}`),
  }
}
