import { Placement, type PrioritizerConfig, type SpreadConstraint, type Toleration } from '@orrery/api'
import { createPlacement, type PlacementDraft, type PredicateDraft, placementFrom } from '@orrery/hub/operations'
import { Command, Option } from 'commander'
import { addNamespaceOption, type NamespaceOptions, namespaceOf } from '../../shared/namespace.js'
import { showDocument } from '../../shared/output.js'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { eachOf, nameList } from '../option-parsers.js'
import {
  clusterCount,
  placementName,
  prioritizers,
  selector,
  selectors,
  separateSelectors,
  spreadConstraints,
  tolerations,
} from '../placement-options.js'

interface CreatePlacementCommandOptions extends TargetOptions, NamespaceOptions {
  readonly clustersets?: readonly string[]
  readonly count?: number
  readonly labelSelectors?: readonly string[]
  readonly selector?: readonly string[]
  readonly claimSelector?: string
  readonly cel?: readonly string[]
  readonly prioritizers?: readonly PrioritizerConfig[]
  readonly tolerations?: readonly Toleration[]
  readonly spread?: readonly SpreadConstraint[]
  readonly overwrite?: boolean
  readonly dryRun?: boolean
  readonly output: 'json' | 'yaml'
}

/** `orrery create placement`. */
export function createPlacementCommand(): Command {
  const command = new Command('placement')
    .description('Create a placement, which selects clusters.')
    .argument('<name>', 'name of the placement', placementName)
    .option('--clustersets <names>', 'cluster sets to select from: a,b (default: all that are bound)', nameList)
    .option('--count <number>', 'maximum number of clusters (default: all that match)', clusterCount)
    .option('--selector <labels>', 'label selector that clusters match; repeat it for alternatives', selectors)
    .option(
      '--label-selectors <labels>',
      'label requirements, of which clusters match one, as in clusteradm',
      separateSelectors,
    )
    .option('--claim-selector <claims>', 'selector of claims that clusters also match', selector)
    .option('--cel <expression>', 'CEL expression that is also true for clusters; can be repeated', eachOf)
    .option(
      '--prioritizers <list>',
      'BuiltIn:NAME[:WEIGHT] or AddOn:RESOURCE:SCORE[:WEIGHT], separated by commas',
      prioritizers,
    )
    .option('--tolerations <list>', 'tolerated taints: KEY[=VALUE][:EFFECT], separated by commas', tolerations)
    .option(
      '--spread <list>',
      'spread evenly: Label:KEY[:MAXSKEW] or Claim:KEY[:MAXSKEW], separated by commas',
      spreadConstraints,
    )
    .option('--overwrite', 'replace the spec of an existing placement')
    .option('--dry-run', 'print the placement, and create nothing')
    .addOption(
      new Option('-o, --output <format>', 'output format of --dry-run').choices(['json', 'yaml']).default('yaml'),
    )
    .addHelpText(
      'after',
      `
A placement selects from the cluster sets that are bound to its namespace: see \`orrery clusterset bind\`. Other fields, such as
decision groups, are set with \`kubectl apply\`.

Examples:
  orrery create placement all -n shop
  orrery create placement web -n shop --clustersets eu --selector 'tier=prod,gpu' --count 3
  orrery create placement web --prioritizers BuiltIn:Steady:3,BuiltIn:ResourceAllocatableCPU:2 --count 2
  orrery create placement ha --spread Label:region --count 4
  orrery create placement web --count 2 --dry-run | orrery explain placement --what-if -f -`,
    )
    .action(run)
  return addTargetOptions(addNamespaceOption(command))
}

async function run(name: string, options: CreatePlacementCommandOptions): Promise<void> {
  const draft = draftOf(name, await namespaceOf(options), options)
  const { overwrite = false, dryRun = false, output, ...target } = options
  if (dryRun) {
    const { metadata, spec } = placementFrom(draft)
    const apiVersion = `${Placement.group}/${Placement.version}`
    return showDocument(output, { apiVersion, kind: Placement.kind, metadata, spec })
  }
  const change = await withHub(target, (client) => createPlacement(client, draft, { overwrite }))
  print(`placement ${draft.namespace}/${name} ${change}`)
}

function draftOf(name: string, namespace: string, options: CreatePlacementCommandOptions): PlacementDraft {
  const { clustersets, count, tolerations: tolerated, spread, prioritizers: preferred } = options
  const predicates = predicatesOf(options)
  return {
    namespace,
    name,
    ...(clustersets !== undefined && { clusterSets: clustersets }),
    ...(count !== undefined && { count }),
    ...(predicates.length > 0 && { predicates }),
    ...(preferred !== undefined && { prioritizers: preferred }),
    ...(tolerated !== undefined && { tolerations: tolerated }),
    ...(spread !== undefined && { spread }),
  }
}

/** One predicate for each alternative of labels. Claims and expressions apply to each of them. */
function predicatesOf(options: CreatePlacementCommandOptions): PredicateDraft[] {
  const { selector: whole = [], labelSelectors = [], claimSelector: claims, cel } = options
  const also = { ...(claims !== undefined && { claims }), ...(cel !== undefined && { cel }) }
  const alternatives = [...whole, ...labelSelectors]
  if (alternatives.length > 0) return alternatives.map((labels) => ({ labels, ...also }))
  return Object.keys(also).length > 0 ? [also] : []
}
