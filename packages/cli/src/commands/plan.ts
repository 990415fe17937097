import type { ManifestChange } from '@orrery/api'
import { dryRunOnCluster, partsOfWork, placedClusters, type RemovedObject } from '@orrery/hub/operations'
import { canonicalJson, type JsonObject, type KubeClient, type KubeObject } from '@orrery/kube'
import { Command } from 'commander'
import { EXIT_FAILED } from '../failure.js'
import { formatDocument, type OutputOptions, outputOption, showDocument } from '../shared/output.js'
import { plainText } from '../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../shared/target.js'
import { inWords } from '../systemerror.js'
import { readManifests } from './manifests.js'
import { withPatience } from './patience.js'
import { type PlacedOptions, requireClustersOrPlacement } from './placed.js'
import { lineDiff, unifiedLines } from './plan/line-diff.js'
import { eachOf, nameList, namespacedName, seconds, workName } from './words.js'

interface PlanOptions extends OutputOptions, TargetOptions, PlacedOptions {
  readonly filename: readonly string[]
  readonly work?: string
  readonly timeout: number
}

type PlannedChange = ManifestChange | RemovedObject

/** What would happen on one cluster, or why that is not known. */
type ClusterPlan =
  | { readonly cluster: string; readonly changes: readonly PlannedChange[] }
  | { readonly cluster: string; readonly problem: string }

const DEFAULT_TIMEOUT = 30

/** `orrery plan`. */
export function planCommand(): Command {
  const command = new Command('plan')
    .description('Show what applying manifests would change on clusters. Nothing is changed.')
    .requiredOption(
      '-f, --filename <file>',
      'manifests in YAML or JSON: a file, a directory, or - ; can be repeated',
      eachOf,
    )
    .option('--clusters <names>', 'clusters to try the manifests on: a,b', nameList)
    .option('--placement <namespace/name>', 'or the clusters that a placement has selected', namespacedName)
    .option(
      '--work <name>',
      'show the change of this work: its update strategies and executor count, and what it would delete is shown',
      workName,
    )
    .option('--timeout <seconds>', 'how long to wait for each cluster', seconds, DEFAULT_TIMEOUT)
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
The agent of each cluster runs a server-side dry run, so that the cluster's defaults, admission and quotas count. Clusters with
the same changes are shown together. Values of Secrets are sealed on the way and masked in the output. A warning names each
field that another field manager owns and that would change. With --work, objects that the work has and the manifests have not
are shown as to delete. The exit code is 1 if a manifest would be refused or a cluster does not answer.

Examples:
  orrery plan -f web.yaml --clusters cluster1,cluster2
  orrery plan -f ./manifests --placement shop/eu --work web
  orrery plan -f web.yaml --clusters cluster1 -o json | jq '.[].changes[].action'`,
    )
    .action(run)
  return addTargetOptions(command)
}

async function run(options: PlanOptions, command: Command): Promise<void> {
  const { output, clusters, placement } = options
  requireClustersOrPlacement(command, options)
  const manifests = await readManifests(options.filename)
  const plans = await withHub(options, async (client) => {
    const targets = clusters ?? (placement === undefined ? [] : await placedClusters(client, placement))
    if (options.work !== undefined) await requireWork(client, targets, options.work)
    return Promise.all(targets.map((cluster) => planFor(client, cluster, manifests, options)))
  })
  if (output === 'json' || output === 'yaml') await showDocument(output, plans)
  else
    for (const { clusters, text } of await sameTogether(plans))
      process.stdout.write(`=== ${clusters.join(', ')}\n${text}\n`)
  if (plans.some((plan) => 'problem' in plan || plan.changes.some(({ action }) => action === 'Refused'))) {
    process.exitCode = EXIT_FAILED
  }
}

/** A cluster may get the work with this change. If no cluster has it, its name is wrong. */
async function requireWork(client: KubeClient, clusters: readonly string[], work: string): Promise<void> {
  const found = await Promise.all(clusters.map((cluster) => partsOfWork(client, cluster, work)))
  if (found.some((parts) => parts.length > 0)) return
  throw new Error(`there is no work ${work} on ${clusters.join(', ')}: leave --work out to plan a new work`)
}

/** A cluster that does not answer does not keep people from seeing the others' plans. */
async function planFor(
  client: KubeClient,
  cluster: string,
  manifests: readonly KubeObject[],
  { work, timeout }: PlanOptions,
): Promise<ClusterPlan> {
  const draft = { manifests, ...(work !== undefined && { work }) }
  const late = `the agent of cluster ${JSON.stringify(cluster)} has not answered: run \`orrery get clusters\` to see its state`
  try {
    const changes = await withPatience(timeout, late, (signal) => dryRunOnCluster(client, cluster, draft, signal))
    return { cluster, changes }
  } catch (error) {
    return { cluster, problem: inWords(error) }
  }
}

/** Clusters whose plans read the same, in the order in which they were named. */
interface PlanGroup {
  readonly clusters: string[]
  readonly text: string
}

/** What is not shown does not set clusters apart: the UID of an owner differs on each. */
async function sameTogether(plans: readonly ClusterPlan[]): Promise<PlanGroup[]> {
  const groups = new Map<string, PlanGroup>()
  for (const plan of plans) {
    const { cluster } = plan
    const text = await textOf(plan)
    const key = 'problem' in plan ? `${cluster}\n${text}` : text
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { clusters: [cluster], text })
    else group.clusters.push(cluster)
  }
  return [...groups.values()]
}

async function textOf(plan: ClusterPlan): Promise<string> {
  if ('problem' in plan) return `${plan.problem}\n`
  const parts = await Promise.all(plan.changes.map(changeText))
  const counts = new Map<string, number>()
  for (const { action } of plan.changes) counts.set(WORDS[action], (counts.get(WORDS[action]) ?? 0) + 1)
  const summary = Array.from(counts, ([words, count]) => `${count} ${words}`).join(', ')
  return `${parts.join('')}${summary}\n`
}

const WORDS: Readonly<Record<PlannedChange['action'], string>> = {
  Create: 'to create',
  Unchecked: 'to create',
  Update: 'to change',
  None: 'unchanged',
  Refused: 'refused',
  Delete: 'to delete',
}

const SIGNS: Readonly<Record<PlannedChange['action'], string>> = {
  Create: '+',
  Unchecked: '+',
  Update: '~',
  None: ' ',
  Refused: '!',
  Delete: '-',
}

async function changeText(change: PlannedChange): Promise<string> {
  const { action, resourceMeta } = change
  if (action === 'None') return ''
  const { kind = '', namespace = '', name = '', ordinal } = resourceMeta
  const object = kind === '' ? `manifest ${ordinal + 1}` : `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`
  if (action === 'Delete') return `${SIGNS[action]} ${plainText(object)}\n`
  const { message, warnings = [], before, after } = change
  const note = message === undefined ? '' : action === 'Refused' ? ` is refused: ${message}` : `: ${message}`
  const title = `${SIGNS[action]} ${plainText(object)}${plainText(note)}\n`
  const warned = warnings.map((warning) => `    warning: ${plainText(warning)}\n`).join('')
  return title + warned + (after === undefined ? '' : await diffText(before, after))
}

async function diffText(before: JsonObject | undefined, after: JsonObject): Promise<string> {
  // Servers need not keep the order of fields.
  const linesOf = async (value: JsonObject | undefined) =>
    value === undefined ? [] : (await formatDocument('yaml', JSON.parse(canonicalJson(value)))).trimEnd().split('\n')
  const changes = lineDiff(await linesOf(before), await linesOf(after))
  return unifiedLines(changes)
    .map((line) => `    ${plainText(line)}\n`)
    .join('')
}
