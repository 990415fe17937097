import { ManifestWork, ManifestWorkDryRun } from '@orrery/api'
import { badRequest, forbidden, jsonEqual } from '@orrery/kinds/values'
import { type AccessReview, requireAccess } from './access-review.js'
import { accountToCheck, executeAs } from './executor.js'
import { checkManifests, checkPatterns } from './manifests.js'
import type { RuleSettings, ValidatingRule } from './rule.js'

/** Which manifests a work may have, and who may apply it with which service account. */
export function workRule({ features, manifestLimit }: RuleSettings): ValidatingRule {
  return {
    name: 'ManifestWorkValidating',
    kind: ManifestWork,
    validate({ object, oldObject, user }, queries) {
      const work = object as unknown as ManifestWork
      const before = oldObject as ManifestWork | undefined
      // A stored spec must not prevent an agent from removing its finalizer, or a user from adding a label.
      if (before !== undefined && jsonEqual(work.spec ?? {}, before.spec ?? {})) return undefined
      checkPatterns(work.spec?.manifestConfigs)
      checkWorkload(work, before, manifestLimit)
      const review = executorReview(work, features.NilExecutorValidating)
      return review === undefined ? undefined : requireAccess([review], user, queries)
    },
  }
}

/** A dry run shows what a work would change, so that it takes the same permissions. */
export function dryRunRule({ features }: RuleSettings): ValidatingRule {
  return {
    name: 'ManifestWorkDryRunValidating',
    kind: ManifestWorkDryRun,
    validate({ object, oldObject, user }, queries) {
      const dryRun = object as unknown as ManifestWorkDryRun
      const before = oldObject as ManifestWorkDryRun | undefined
      if (before !== undefined && jsonEqual(dryRun.spec, before.spec)) return undefined
      // The manifests need not fit into one work: large ones are split when they are applied.
      checkManifests(dryRun.spec.workload.manifests, Number.POSITIVE_INFINITY)
      checkPatterns(dryRun.spec.manifestConfigs)
      const review = executorReview(dryRun, features.NilExecutorValidating)
      return requireAccess([creationReview(dryRun), ...(review === undefined ? [] : [review])], user, queries)
    },
  }
}

function creationReview({ metadata: { namespace = '', name } }: ManifestWorkDryRun): AccessReview {
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
 * A user who changes what is applied with a service account needs the permission to use that account, also when the account
 * stays and only the manifests change.
 */
function executorReview(
  { metadata: { namespace }, spec }: ManifestWork | ManifestWorkDryRun,
  checksAgents: boolean,
): AccessReview | undefined {
  const account = accountToCheck(spec, checksAgents)
  if (account === undefined) return undefined
  const who = `${account.namespace}/${account.name}`
  return {
    attributes: executeAs(account, namespace),
    refusal: (username) =>
      badRequest(`user ${username} cannot manipulate the Manifestwork with executor ${who} in namespace ${namespace}`),
  }
}
