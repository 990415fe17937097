import { Placement } from '@orrery/api'
import { clusterNotFound, explainPlacement, explainWhatIf, type PlacementExplanation } from '@orrery/hub/operations'
import type { KubeObject } from '@orrery/kinds'
import { Command } from 'commander'
import { EXIT_FAILED } from '../../failure.js'
import { readManifests } from '../../shared/manifests.js'
import { addNamespaceOption, type NamespaceOptions, namespaceOf } from '../../shared/namespace.js'
import { type OutputOptions, outputOption, showDocument } from '../../shared/output.js'
import { printText } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { nameList } from '../option-parsers.js'
import { explanationText } from './explanation-text.js'

interface ExplainOptions extends TargetOptions, NamespaceOptions, OutputOptions {
  readonly whatIf?: boolean
  readonly filename?: string
  readonly clusters?: readonly string[]
}

/** `orrery explain placement`. */
export function explainPlacementCommand(): Command {
  const command = new Command('placement')
    .alias('placements')
    .description('Explain for each cluster why a placement selects it or not, and what would have to change.')
    .argument('[placement]', 'name of the placement')
    .option('--what-if', 'explain a placement that does not exist yet, or a change of one; requires -f')
    .option('-f, --filename <file>', 'file with the placement for --what-if, or - for standard input')
    .option('--clusters <names>', 'explain only these clusters: a,b', nameList)
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
The command schedules the placement with the current clusters and scores, and changes nothing. -o wide adds what each score is
based on. --what-if refuses unknown fields, and does not need permission to create placements. The exit code is 1 if the placement
is misconfigured.

Examples:
  orrery explain placement web -n shop
  orrery explain placement web -n shop --clusters edge7 -o wide
  orrery explain placement --what-if -f placement.yaml
  orrery create placement web --count 2 --dry-run | orrery explain placement --what-if -f -
  orrery explain placement web -o json | jq -r '.clusters[] | select(.outcome == "FilteredOut").cluster'`,
    )
    .action(run)
  return addTargetOptions(addNamespaceOption(command))
}

async function run(name: string | undefined, options: ExplainOptions, command: Command): Promise<void> {
  const { output, whatIf = false, filename, clusters } = options
  if (whatIf && filename === undefined) command.error("error: option '--what-if' requires '-f, --filename <file>'")
  if (!whatIf && filename !== undefined) command.error("error: option '-f, --filename <file>' requires '--what-if'")
  if (!whatIf && name === undefined) command.error("error: missing required argument 'placement'")
  const namespace = await namespaceOf(options)
  const draft = filename === undefined ? undefined : await draftIn(filename, name, options)
  const whole = await withHub(options, (client) =>
    draft === undefined
      ? explainPlacement(client, { namespace, name: name ?? '' })
      : explainWhatIf(client, draft, { namespace }),
  )
  const explanation = clusters === undefined ? whole : only(whole, clusters)
  if (explanation.problem !== undefined) process.exitCode = EXIT_FAILED
  if (output === 'json' || output === 'yaml') return showDocument(output, explanation)
  printText(explanationText(explanation, { withDetails: output === 'wide' }))
}

/** The placement in a file: the one with this name, or the only one. */
async function draftIn(file: string, name: string | undefined, options: NamespaceOptions): Promise<KubeObject> {
  const placements = (await readManifests([file])).filter(({ kind }) => kind === Placement.kind)
  const found = name === undefined ? placements : placements.filter(({ metadata }) => metadata.name === name)
  const [draft] = found
  if (draft === undefined) throw new Error(`${file}: no Placement${name === undefined ? '' : ` ${name}`} found`)
  if (found.length > 1) throw new Error(`${file}: ${found.length} Placements found: name the one to explain`)
  const { namespace } = draft.metadata
  if (options.namespace !== undefined && namespace !== undefined && namespace !== options.namespace) {
    throw new Error(`${file}: Placement ${draft.metadata.name} is in namespace ${namespace}: omit --namespace`)
  }
  return draft
}

function only(explanation: PlacementExplanation, names: readonly string[]): PlacementExplanation {
  // The spec or the cluster sets are wrong: that is the explanation for every cluster.
  if (explanation.clusters.length === 0) return explanation
  const unknown = names.filter((name) => !explanation.clusters.some(({ cluster }) => cluster === name))
  if (unknown.length > 0) {
    const used = explanation.clusterSets.used.join(', ') || 'none'
    throw new Error(`${clusterNotFound(...unknown)}. The placement selects from cluster sets: ${used}`)
  }
  return { ...explanation, clusters: explanation.clusters.filter(({ cluster }) => names.includes(cluster)) }
}
