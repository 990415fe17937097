import { PlacementCondition, SCHEDULING_DISABLED_ANNOTATION } from '@orrery/api'
import { type PlacementDetails, placementDetails } from '@orrery/hub/operations'
import { findCondition } from '@orrery/kinds/values'
import { Command } from 'commander'
import { ageOf } from '../../shared/age.js'
import { addNamespaceOption, type NamespaceOptions, namespaceOf } from '../../shared/namespace.js'
import { formatTable } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { type Detail, showDetails } from '../details.js'
import { DECISION_COLUMNS } from '../get/decisions.js'
import { predicateTexts, prioritizerText, spreadText, tolerationText } from '../placement-texts.js'
import { showEvents, showSection } from '../sections.js'

/** `orrery describe placement`. */
export function describePlacementCommand(): Command {
  const command = new Command('placement')
    .alias('placements')
    .description('Show the rules of a placement, its decisions, who uses it, and recent events.')
    .argument('<placement>', 'name of the placement')
    .addHelpText(
      'after',
      `
Run \`orrery explain placement\` to see why each cluster was selected or not.

Examples:
  orrery describe placement web -n shop`,
    )
    .action(run)
  return addTargetOptions(addNamespaceOption(command))
}

async function run(name: string, options: TargetOptions & NamespaceOptions): Promise<void> {
  const namespace = await namespaceOf(options)
  const details = await withHub(options, (client) => placementDetails(client, { namespace, name }))
  showDetails(detailsOf(details))
  const { decisions, events } = details
  if (decisions.length > 0) {
    const rows = decisions.map((decision) => ({ ...decision, placement: details }))
    showSection('Decisions', formatTable(rows, DECISION_COLUMNS))
  }
  showEvents(events)
}

function detailsOf(details: PlacementDetails): readonly Detail[] {
  const { placement, groups, decisions, boundSets, users, failovers } = details
  const { metadata, spec, status } = placement
  const requested = spec.numberOfClusters === undefined ? 'all that match' : `${spec.numberOfClusters} requested`
  const { prioritizerPolicy = { mode: 'Additive' }, scoreRateLimit, sortBy } = spec
  const configured = (prioritizerPolicy.configurations ?? []).map(prioritizerText)
  const defaults = prioritizerPolicy.mode === 'Exact' ? [] : ['defaults BuiltIn:Balance:1, BuiltIn:Steady:1']
  const optional: readonly (readonly [string, readonly string[]])[] = [
    ['Tolerations', (spec.tolerations ?? []).map(tolerationText)],
    ['Spread', (spec.spreadPolicy?.spreadConstraints ?? []).map(spreadText)],
    ['Used by', users],
    ['Failover', failovers.map(failoverText)],
  ]
  const isDisabled = metadata.annotations?.[SCHEDULING_DISABLED_ANNOTATION] === 'true'
  return [
    ['Name', metadata.name],
    ['Namespace', metadata.namespace],
    ['Age', ageOf(metadata.creationTimestamp)],
    ['Cluster sets', `${spec.clusterSets?.join(', ') ?? 'all bound'} (bound: ${boundSets.join(', ') || 'none'})`],
    ['Predicates', predicateTexts(spec).join(' or ') || 'all clusters'],
    ['Prioritizers', [...configured, ...defaults].join(', ') || 'none'],
    ...optional.flatMap(([title, texts]): Detail[] => (texts.length > 0 ? [[title, texts.join(', ')]] : [])),
    ['Order', `${sortBy === 'Score' ? 'score' : 'cluster name'}; scores are updated at most every ${scoreRateLimit}`],
    ['Selected', `${decisions.length} (${requested})`],
    ['Groups', groups.map(groupText).join(', ') || 'none'],
    ...(isDisabled ? [['Scheduling', 'disabled by annotation: the hub does not decide'] as const] : []),
    ...[PlacementCondition.Satisfied, PlacementCondition.Misconfigured].flatMap((type): Detail[] => {
      const condition = findCondition(status?.conditions, type)
      if (condition === undefined) return []
      return [[type, `${condition.status}, ${condition.reason}: ${condition.message}`]]
    }),
  ]
}

/** `0 canary (1 cluster)`. */
function groupText({ index, name, clusters: { length } }: PlacementDetails['groups'][number]): string {
  return `${index}${name && ` ${name}`} (${length} ${length === 1 ? 'cluster' : 'clusters'})`
}

/** `web (excluded: c1; clusters return with ClusterHealth above 80 for 5m)`. */
function failoverText({ name, isActive, excluded, returnCondition }: PlacementDetails['failovers'][number]): string {
  if (!isActive) return `${name} (not used: another one is older)`
  return `${name} (excluded: ${excluded.join(', ') || 'none'}; clusters return with ${returnCondition})`
}
