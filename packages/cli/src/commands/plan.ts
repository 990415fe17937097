import { type PlannedChange, planChanges } from '@orrery/hub/operations'
import { canonicalJson, type JsonValue, type KubeObject } from '@orrery/kube'
import { Command } from 'commander'
import { directoryName } from '../arguments.js'
import { EXIT_FAILED } from '../failure.js'
import { formatDocument, type OutputOptions, outputOption, showDocument } from '../shared/output.js'
import { plainText } from '../shared/table.js'
import { contextTarget, type Target, type TargetOptions, withTarget } from '../shared/target.js'
import { inWords } from '../systemerror.js'
import { readManifests } from './manifests.js'
import { lineDiff, unifiedLines } from './plan/linediff.js'
import { eachOf, nameList } from './words.js'

interface PlanOptions extends OutputOptions, Pick<TargetOptions, 'data' | 'kubeconfig'> {
  readonly filename: readonly string[]
  readonly clusters: readonly string[]
}

/** What would happen on one cluster, or why that is not known. */
type ClusterPlan =
  | { readonly cluster: string; readonly changes: readonly PlannedChange[] }
  | { readonly cluster: string; readonly problem: string }

/** `orrery plan`. */
export function planCommand(): Command {
  return new Command('plan')
    .description('Show what handing objects to clusters would change on each of them; nothing is sent')
    .requiredOption(
      '-f, --filename <file>',
      'objects in YAML or JSON: a file, a directory, or - ; may be repeated',
      eachOf,
    )
    .requiredOption('--clusters <names>', 'clusters of the local fleet, or contexts of the kubeconfig: a,b', nameList)
    .option('--data <dir>', 'directory of the local fleet (default: $ORRERY_DATA, else ~/.orrery/fleet)', directoryName)
    .option(
      '--kubeconfig <file>',
      'kubeconfig with a context for each cluster (default: $KUBECONFIG, else that of the local fleet)',
    )
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Each cluster is asked by server-side apply without consequences, so that its defaults, admission and quotas count. Values of
Secrets are not shown. The exit code is 1 when something could not be applied.

Examples:
  orrery plan -f web.yaml --clusters cluster1,cluster2
  orrery plan -f ./manifests --clusters edge1 --kubeconfig ~/.kube/config   contexts of another file
  orrery plan -f web.yaml --clusters cluster1 -o json | jq '.[].changes[].action'`,
    )
    .action(run)
}

async function run(options: PlanOptions): Promise<void> {
  const { output, clusters } = options
  const manifests = await readManifests(options.filename)
  const plans = await Promise.all(
    clusters.map((cluster) => planFor(cluster, contextTarget(options, cluster), manifests)),
  )
  if (output === 'json' || output === 'yaml') await showDocument(output, plans)
  else for (const plan of plans) process.stdout.write(await textOf(plan))
  if (plans.some((plan) => 'problem' in plan || plan.changes.some(({ action }) => action === 'fail'))) {
    process.exitCode = EXIT_FAILED
  }
}

/** A cluster that cannot be asked does not keep people from seeing what the others say. */
async function planFor(cluster: string, target: Target, manifests: readonly KubeObject[]): Promise<ClusterPlan> {
  try {
    return { cluster, changes: await withTarget(target, (client) => planChanges(client, manifests)) }
  } catch (error) {
    return { cluster, problem: inWords(error) }
  }
}

async function textOf(plan: ClusterPlan): Promise<string> {
  const title = `=== ${plan.cluster}\n`
  if ('problem' in plan) return `${title}cannot be asked: ${plan.problem}\n\n`
  const parts = await Promise.all(plan.changes.map(changeText))
  const counts = new Map<string, number>()
  for (const { action } of plan.changes) counts.set(WORDS[action], (counts.get(WORDS[action]) ?? 0) + 1)
  const summary = Array.from(counts, ([words, count]) => `${count} ${words}`).join(', ')
  return `${title}${parts.join('')}${summary}\n\n`
}

const WORDS: Readonly<Record<PlannedChange['action'], string>> = {
  create: 'to create',
  'create unchecked': 'to create',
  change: 'to change',
  none: 'unchanged',
  fail: 'refused',
}

async function changeText(change: PlannedChange): Promise<string> {
  const { object } = change
  switch (change.action) {
    case 'none':
      return ''
    case 'fail':
      return `! ${plainText(object)} would be refused: ${plainText(change.message)}\n`
    case 'create unchecked':
      return `+ ${plainText(object)}, unchecked: it needs ${plainText(change.needs)}, which comes with it\n${await diffText(undefined, change.after)}`
    case 'create':
      return `+ ${plainText(object)}\n${await diffText(undefined, change.after)}`
    case 'change':
      return `~ ${plainText(object)}\n${await diffText(change.before, change.after)}`
  }
}

async function diffText(before: JsonValue | undefined, after: JsonValue): Promise<string> {
  // Servers need not keep the order of fields.
  const linesOf = async (value: JsonValue | undefined) =>
    value === undefined ? [] : (await formatDocument('yaml', JSON.parse(canonicalJson(value)))).trimEnd().split('\n')
  const changes = lineDiff(await linesOf(before), await linesOf(after))
  return unifiedLines(changes)
    .map((line) => `    ${plainText(line)}\n`)
    .join('')
}
