import type { ClusterPredicate, ClusterSelector } from '@orrery/api'
import type { Random } from '../../fuzz/random.js'
import { CLAIMS, LABELS, SCORES, TAINT_KEYS } from './fleet.js'

interface Requirement {
  readonly key: string
  readonly operator: string
  readonly values?: string[]
}

/** One to three predicates, each with one to three of the selectors. */
export function generatePredicates(random: Random): ClusterPredicate[] {
  return Array.from({ length: 1 + random.below(3) }, () => ({ requiredClusterSelector: generateSelector(random) }))
}

function generateSelector(random: Random): ClusterSelector {
  const kinds = random.pick(['l', 'l', 'c', 'e', 'e', 'lc', 'le', 'ce', 'lce', ''])
  return {
    ...(kinds.includes('l') && { labelSelector: generateLabelSelector(random) }),
    ...(kinds.includes('c') && { claimSelector: { matchExpressions: requirements(random, CLAIMS) } }),
    ...(kinds.includes('e') && {
      celSelector: { celExpressions: Array.from({ length: 1 + random.below(2) }, () => generateExpression(random)) },
    }),
  }
}

/** The selector of a decision group has labels and claims only. */
export function generateGroupSelector(random: Random): Pick<ClusterSelector, 'labelSelector' | 'claimSelector'> {
  return random.chance(0.7)
    ? { labelSelector: generateLabelSelector(random) }
    : { claimSelector: { matchExpressions: requirements(random, CLAIMS) } }
}

function generateLabelSelector(random: Random): NonNullable<ClusterSelector['labelSelector']> {
  const key = random.pick(Object.keys(LABELS) as (keyof typeof LABELS)[])
  if (random.chance(0.4)) return { matchLabels: { [key]: random.pick<string>(LABELS[key]) } }
  return { matchExpressions: requirements(random, LABELS) }
}

function requirements(random: Random, choices: Readonly<Record<string, readonly string[]>>): Requirement[] {
  return Array.from({ length: 1 + random.below(2) }, () => {
    const key = random.pick([...Object.keys(choices), 'absent'])
    const operator = random.pick(['In', 'NotIn', 'Exists', 'DoesNotExist'])
    if (!operator.endsWith('In')) return { key, operator }
    const values = (choices[key] ?? ['x']).filter((value) => /^[A-Za-z0-9.]*$/.test(value) && random.chance(0.6))
    return { key, operator, values: values.length === 0 ? ['other'] : values }
  })
}

/** Expressions over all parts of a cluster and all libraries. Many fail for some clusters, which then do not match. */
function generateExpression(random: Random): string {
  const resource = random.pick(Object.keys(SCORES) as (keyof typeof SCORES)[])
  const score = random.pick<string>(SCORES[resource])
  const above = random.pick([-50, 0, 20, 60])
  const claim = random.pick(Object.keys(CLAIMS) as (keyof typeof CLAIMS)[])
  const value = random.pick<string>(CLAIMS[claim]).replaceAll('"', '\\"')
  return random.pick([
    `managedCluster.metadata.labels["region"] == "${random.pick(LABELS.region)}"`,
    `"gpu" in managedCluster.metadata.labels`,
    `has(managedCluster.metadata.labels) && has(managedCluster.metadata.labels.zone)`,
    `int(managedCluster.metadata.labels.?tier.orValue("0")) >= ${random.pick([1, 3, 10])}`,
    `managedCluster.metadata.name.matches("^(edge|far)-[0-9]*[${random.pick(['02468', '13579', '1-5'])}]$")`,
    `managedCluster.metadata.name.split("-")[1].size() == ${random.pick([1, 2, 3])}`,
    `managedCluster.spec.hubAcceptsClient`,
    `!has(managedCluster.spec.taints)`,
    `managedCluster.spec.taints.exists_one(t, t.key == "${random.pick(TAINT_KEYS)}")`,
    `managedCluster.status.conditions.exists(c, c.type.endsWith("Available") && c.status == "True")`,
    `managedCluster.status.conditions.size() == 0`,
    `managedCluster.status.clusterClaims.exists(c, c.name == "${claim}" && c.value == "${value}")`,
    `managedCluster.status.clusterClaims.filter(c, c.name.startsWith("nodes")).all(c, int(c.value) > ${random.pick([2, 4])})`,
    `managedCluster.status.clusterClaims.filter(c, c.name.startsWith("limits"))[0].value.parseJSON().max > 5`,
    `managedCluster.status.clusterClaims.exists(c, isIP(c.value) && cidr("10.0.0.0/8").containsIP(ip(c.value)))`,
    `managedCluster.status.version.kubernetes.find("[0-9]+\\\\.[0-9]+") == "1.3${random.pick([0, 1, 2])}"`,
    `semver(managedCluster.status.version.kubernetes.replace("v", "")).isGreaterThan(semver("1.30.0"))`,
    `isSemver(managedCluster.status.version.kubernetes)`,
    `quantity(managedCluster.status.allocatable.cpu).isGreaterThan(quantity("${random.pick(['7', '8', '30000m'])}"))`,
    `sign(quantity(managedCluster.status.capacity.memory).sub(quantity("16Gi"))) == ${random.pick([-1, 0, 1])}`,
    `managedCluster.status.allocatable.cpu == "${random.pick(['7500m', '7.5', '100', '32250m', '0'])}"`,
    `managedCluster.status.capacity.memory in ["16Gi", "1536Gi", "128G", "100G"]`,
    `managedCluster.scores("${resource}").filter(s, s.name == "${score}").all(s, s.value > ${above})`,
    `managedCluster.scores("${resource}").exists(s, s.name == "${score}" && s.value > ${above})`,
    `managedCluster.scores("${resource}").map(s, s.value).sum() > ${above}`,
    `managedCluster.scores("absent").size() == 0`,
    `managedCluster.metadata.name`,
    `managedCluster.spec.all(key, key != "leaseDurationSeconds")`,
    `managedCluster.spec.taints.all(t, has(t.value) && has(t.timeAdded) && t.timeAdded != null)`,
    `managedCluster.spec.taints.exists(t, t.value == "" || t.timeAdded == null)`,
    `has(managedCluster.status.clusterClaims) && has(managedCluster.status.capacity)`,
    `managedCluster.status.allocatable.all(name, name in ["cpu", "memory", "pods"])`,
    `managedCluster.status.version.all(name, managedCluster.status.version[name] != "")`,
    `!has(managedCluster.metadata.labels) || !has(managedCluster.metadata.finalizers)`,
    `true`,
  ])
}
