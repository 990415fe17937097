import { CLUSTER_GROUP, CLUSTER_SET_LABEL, CREATED_BY_ANNOTATION, ManagedCluster, REGISTER_GROUP } from '@orrery/api'
import { badRequest, forbidden, isDNS1123Label, jsonEqual } from '@orrery/kinds/values'
import { clusterNameProblem } from '../registration/cluster-name.js'
import { type Claim, requireClaims } from './claim.js'
import { creatorOf } from './cluster-defaults.js'
import type { Inquiries } from './inquiries.js'
import type { ValidatingRule } from './rule.js'

const ACCEPT = { group: CLUSTER_GROUP, resource: 'managedclusters/accept' }

/** Who may let a cluster in, who may put it into which set, and what it may be called and say of itself. */
export const clusterRule: ValidatingRule = {
  name: 'ManagedClusterValidating',
  kind: ManagedCluster,
  validate(write, inquiries) {
    const cluster = write.object as unknown as ManagedCluster
    const before = write.oldObject as ManagedCluster | undefined
    const problems = [...nameProblems(cluster, before), ...addressProblems(cluster, before)]
    if (problems.length > 0) throw badRequest(problems.sort().join('\n'))
    const { name } = cluster.metadata
    const isLetIn = cluster.spec?.hubAcceptsClient === true && before?.spec?.hubAcceptsClient !== true
    const claims = [
      ...creatorClaims(cluster, before, write.user.username),
      ...membershipClaims(setOf(before), setOf(cluster)),
    ]
    if (!isLetIn) return claims.length === 0 ? undefined : requireClaims(claims, write.user, inquiries)
    return refuseTerminating(name, inquiries).then(() =>
      requireClaims([acceptanceClaim(name), ...claims], write.user, inquiries),
    )
  },
}

/** A name is for good: a cluster that has it already could not even be detached if that were refused. */
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

/** `URL` drops blanks and control characters that other readers of the address would not. */
function isHttpsUrl(url: string): boolean {
  return /^https:\/\/[^\s\p{Cc}]+$/iu.test(url) && URL.canParse(url)
}

function acceptanceClaim(name: string): Claim {
  return {
    attributes: { group: REGISTER_GROUP, resource: 'managedclusters', subresource: 'accept', verb: 'update', name },
    refusal: (username) =>
      forbidden(ACCEPT, name, `user ${JSON.stringify(username)} cannot update the HubAcceptsClient field`),
  }
}

/**
 * The creator of a cluster gets its first certificate approved by the hub. To name another user takes the permission to
 * accept the cluster.
 */
function creatorClaims(cluster: ManagedCluster, before: ManagedCluster | undefined, username: string): Claim[] {
  const { name } = cluster.metadata
  const given = creatorOf(cluster)
  if (given === undefined || given === (before === undefined ? username : creatorOf(before))) return []
  const refusal = () =>
    forbidden(ACCEPT, name, `user ${JSON.stringify(username)} cannot set the annotation ${CREATED_BY_ANNOTATION}`)
  return [{ ...acceptanceClaim(name), refusal }]
}

/** What the agent is given in a namespace that is being deleted would be deleted with it. */
async function refuseTerminating(name: string, inquiries: Inquiries): Promise<void> {
  if (!(await inquiries.isTerminating(name))) return
  throw forbidden(ACCEPT, name, `cluster namespace ${JSON.stringify(name)} is terminating`)
}

function setOf(cluster: ManagedCluster | undefined): string {
  const labels = cluster?.metadata.labels ?? {}
  return Object.hasOwn(labels, CLUSTER_SET_LABEL) ? (labels[CLUSTER_SET_LABEL] as string) : ''
}

function membershipClaims(before: string, after: string): Claim[] {
  if (before === after) return []
  return [before, after].filter((set) => set !== '').map(membershipClaim)
}

function membershipClaim(name: string): Claim {
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
