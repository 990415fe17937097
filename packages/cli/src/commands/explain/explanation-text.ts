import type { ClusterExplanation, PlacementExplanation } from '@orrery/hub/operations'
import { type Column, formatTable, plainText } from '../../shared/table.js'
import { type Detail, formatDetails } from '../details.js'

/** An explanation for people. `withDetails` adds what each score is based on. */
export function explanationText(explanation: PlacementExplanation, { withDetails = false } = {}): string {
  const { clusters, problem } = explanation
  const parts = [formatDetails(summaryOf(explanation))]
  if (problem === undefined && clusters.length > 0) parts.push(formatTable(clusters, columnsOf(explanation)))
  const notes = clusters.flatMap((cluster) => notesOf(cluster, withDetails))
  if (notes.length > 0) parts.push(notes.map((line) => `${line}\n`).join(''))
  return parts.join('\n')
}

function summaryOf(explanation: PlacementExplanation): Detail[] {
  const { namespace, name, problem, clusterSets, numberOfClusters, selected, satisfied } = explanation
  const { used, bound, requested } = clusterSets
  const asked = requested.length === 0 ? '' : `; requested: ${requestedText(explanation)}`
  const count = numberOfClusters === undefined ? 'all that match' : `${numberOfClusters} requested`
  return [
    ['Placement', `${namespace}/${name}`],
    ...(problem === undefined ? [] : [['Misconfigured', problem] as const]),
    ['Selected', `${selected} (${count})`],
    ['Satisfied', `${satisfied.status}, ${satisfied.reason}: ${satisfied.message}`],
    ['Cluster sets', `${used.join(', ') || 'none'} (bound: ${bound.join(', ') || 'none'}${asked})`],
    ...explanation.toBeSatisfied.map((change) => ['To be satisfied', change] as const),
    ...(explanation.filters.length === 0 ? [] : [['Filters', filterText(explanation)] as const]),
    ...(explanation.prioritizers.length === 0 ? [] : [['Prioritizers', prioritizerText(explanation)] as const]),
  ]
}

/** `eu, us (not bound)`. */
function requestedText({ clusterSets, unusableSets }: PlacementExplanation): string {
  const notes = new Map(
    unusableSets.map(({ name, reason }) => [name, reason === 'NotBound' ? ' (not bound)' : ' (does not exist)']),
  )
  return clusterSets.requested.map((name) => `${name}${notes.get(name) ?? ''}`).join(', ')
}

/** `3 clusters, Predicate keeps 2, TaintToleration keeps 1`. */
function filterText({ filters }: PlacementExplanation): string {
  const before = filters[0]?.before ?? 0
  const steps = filters.map(({ name, after }) => `${name} keeps ${after}`)
  return [`${before} ${before === 1 ? 'cluster' : 'clusters'}`, ...steps].join(', ')
}

function prioritizerText({ prioritizers }: PlacementExplanation): string {
  return prioritizers.map(({ name, weight }) => `${name} (weight ${weight})`).join(', ')
}

function columnsOf({ clusters, prioritizers }: PlacementExplanation): Column<ClusterExplanation>[] {
  const hasGroups = clusters.some(({ decisionGroup }) => decisionGroup !== undefined && isNotable(decisionGroup))
  const groups: Column<ClusterExplanation> = { title: 'group', value: ({ decisionGroup }) => groupText(decisionGroup) }
  return [
    { title: 'cluster', value: ({ cluster }) => cluster },
    { title: 'outcome', value: ({ outcome }) => outcome },
    { title: 'rank', value: ({ rank }) => rank },
    { title: 'total', value: ({ total }) => total },
    ...prioritizers.map(({ name }, at): Column<ClusterExplanation> => {
      return { title: name, value: ({ scores }) => scores?.[at]?.score }
    }),
    ...(hasGroups ? [groups] : []),
  ]
}

type Group = ClusterExplanation['decisionGroup']

/** Without a group strategy, all clusters are in one group without a name. */
function isNotable(group: NonNullable<Group>): boolean {
  return group.index > 0 || group.name !== ''
}

function groupText(group: Group): string | undefined {
  if (group === undefined) return undefined
  return group.name === '' ? String(group.index) : `${group.index} (${group.name})`
}

/** Why a cluster was not selected, the scores that it lacks, and what would have to change. */
function notesOf({ cluster, outcome, reason, scores = [], toBeSelected }: ClusterExplanation, withDetails: boolean) {
  const details = scores.flatMap(({ prioritizer, score, detail }) =>
    detail === undefined || (!withDetails && score !== undefined) ? [] : [`${prioritizer}: ${detail}`],
  )
  if (outcome === 'Selected' && details.length === 0) return []
  return [
    `${cluster}: ${reason}`,
    ...details.map((detail) => `  ${detail}`),
    ...toBeSelected.map((change) => `  To be selected: ${change}`),
  ].map(plainText)
}
