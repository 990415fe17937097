import { CLUSTER_GROUP, CLUSTER_SET_LABEL, CREATED_BY_ANNOTATION, ManagedCluster, REGISTER_GROUP } from '@orrery/api'
import { badRequest, forbidden, isDNS1123Label, jsonEqual } from '@orrery/kinds/values'
import { clusterNameProblem } from '../registration/cluster-name.js'
import { type AccessReview, requireAccess } from './access-review.js'
import { creatorOf } from './cluster-defaults.js'
import { hostingReviews } from './hosting-review.js'
import type { HubQueries } from './hub-queries.js'
import type { ValidatingRule } from './rule.js'
import { isRelabelledByAgent, selectedSetsChanged } from './selected-sets.js'

const ACCEPT = { group: CLUSTER_GROUP, resource: 'managedclusters/accept' }

/** Who may accept a cluster, who may put it into a cluster set, by its label or by labels that the set selects, and which names and URLs are valid. */
export const clusterRule: ValidatingRule = {
  name: 'ManagedClusterValidating',
  kind: ManagedCluster,
  validate(write, queries) {
    const cluster = write.object as unknown as ManagedCluster
    const before = write.oldObject as ManagedCluster | undefined
    const problems = [...nameProblems(cluster, before), ...addressProblems(cluster, before)]
    if (problems.length > 0) throw badRequest(problems.sort().join('\n'))
    const { name } = cluster.metadata
    const isAccepted = cluster.spec?.hubAcceptsClient === true && before?.spec?.hubAcceptsClient !== true
    const reviews = [
      ...creatorReviews(cluster, before, write.user.username),
      ...membershipReviews(setOf(before), setOf(cluster)),
      ...hostingReviews(write.object, write.oldObject, {
        group: CLUSTER_GROUP,
        resource: 'managedclusters',
        cluster: name,
      }),
    ]
    const former = isRelabelledByAgent(cluster, before, write.user) ? before : undefined
    if (!isAccepted && former === undefined) {
      return reviews.length === 0 ? undefined : requireAccess(reviews, write.user, queries)
    }
    const allReviews = async () => {
      if (isAccepted) await refuseTerminating(name, queries)
      const sets = former === undefined ? [] : await selectedSetsChanged(cluster, former, queries)
      return [...(isAccepted ? [acceptReview(name)] : []), ...reviews, ...sets.map(membershipReview)]
    }
    return allReviews().then((all) => requireAccess(all, write.user, queries))
  },
}

/** Checked on create only: a name cannot change, and a stored cluster must be deletable. */
function nameProblems({ metadata }: ManagedCluster, before: ManagedCluster | undefined): string[] {
  if (before !== undefined) return []
  const malformed = isDNS1123Label(metadata.name)
  if (malformed.length > 0) return [`metadata.name format is not correct: ${malformed.join(',')}`]
  const problem = clusterNameProblem(metadata.name)
  return problem === undefined ? [] : [`metadata.name ${JSON.stringify(metadata.name)} cannot be used: ${problem}`]
}

function addressProblems({ spec }: ManagedCluster, before: ManagedCluster | undefined): string[] {
  const configs = spec?.managedClusterClientConfigs ?? []
  if (before !== undefined && jsonEqual(configs, before.spec?.managedClusterClientConfigs ?? [])) return []
  return configs
    .filter(({ url }) => !isHttpsUrl(url))
    .map(({ url }) => `url ${JSON.stringify(url)} is invalid in client configs`)
}

/** `URL` drops spaces and control characters, which other parsers do not. */
function isHttpsUrl(url: string): boolean {
  return /^https:\/\/[^\s\p{Cc}]+$/iu.test(url) && URL.canParse(url)
}

function acceptReview(name: string): AccessReview {
  return {
    attributes: { group: REGISTER_GROUP, resource: 'managedclusters', subresource: 'accept', verb: 'update', name },
    refusal: (username) =>
      forbidden(ACCEPT, name, `user ${JSON.stringify(username)} cannot update the HubAcceptsClient field`),
  }
}

/**
 * The hub approves the first certificate of a cluster for its creator. Setting another creator requires the permission to
 * accept the cluster.
 */
function creatorReviews(cluster: ManagedCluster, before: ManagedCluster | undefined, username: string): AccessReview[] {
  const { name } = cluster.metadata
  const given = creatorOf(cluster)
  if (given === undefined || given === (before === undefined ? username : creatorOf(before))) return []
  const refusal = () =>
    forbidden(ACCEPT, name, `user ${JSON.stringify(username)} cannot set the annotation ${CREATED_BY_ANNOTATION}`)
  return [{ ...acceptReview(name), refusal }]
}

/** RoleBindings in a terminating namespace would be deleted with it. */
async function refuseTerminating(name: string, queries: HubQueries): Promise<void> {
  if (!(await queries.isTerminating(name))) return
  throw forbidden(ACCEPT, name, `cluster namespace ${JSON.stringify(name)} is terminating`)
}

function setOf(cluster: ManagedCluster | undefined): string {
  const labels = cluster?.metadata.labels ?? {}
  return Object.hasOwn(labels, CLUSTER_SET_LABEL) ? (labels[CLUSTER_SET_LABEL] as string) : ''
}

function membershipReviews(before: string, after: string): AccessReview[] {
  if (before === after) return []
  return [before, after].filter((set) => set !== '').map(membershipReview)
}

function membershipReview(name: string): AccessReview {
  return {
    attributes: { group: CLUSTER_GROUP, resource: 'managedclustersets', subresource: 'join', verb: 'create', name },
    refusal: (username) =>
      forbidden(
        { group: CLUSTER_GROUP, resource: 'managedclustersets/join' },
        name,
        `user ${JSON.stringify(username)} cannot add/remove a ManagedCluster to/from ManagedClusterSet ${JSON.stringify(name)}`,
      ),
  }
}
