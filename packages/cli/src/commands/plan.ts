import type { ManifestChange } from '@orrery/api'
import { dryRunOnCluster, partsOfWork, placedClusters, type RemovedObject } from '@orrery/hub/operations'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { canonicalJson } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { Command } from 'commander'
import { EXIT_FAILED } from '../failure.js'
import { readManifests } from '../shared/manifests.js'
import { formatDocument, type OutputOptions, outputOption, showDocument } from '../shared/output.js'
import { printText } from '../shared/print.js'
import { plainText } from '../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../shared/target.js'
import { errorMessage } from '../system-error.js'
import { type ClusterSelectionOptions, requireClustersOrPlacement } from './cluster-selection.js'
import { eachOf, nameList, namespacedName, seconds, workName } from './option-parsers.js'
import { lineDiff, unifiedLines } from './plan/line-diff.js'
import { withTimeout } from './wait.js'

interface PlanOptions extends OutputOptions, TargetOptions, ClusterSelectionOptions {
  readonly filename: readonly string[]
  readonly work?: string
  readonly timeout: number
}

type PlannedChange = ManifestChange | RemovedObject

/** The changes on one cluster, or why the dry run failed. */
type ClusterPlan =
  | { readonly cluster: string; readonly changes: readonly PlannedChange[] }
  | { readonly cluster: string; readonly problem: string }

const DEFAULT_TIMEOUT = 30

/** `orrery plan`. */
export function planCommand(): Command {
  const command = new Command('plan')
    .description('Show what applying manifests would change on clusters, without changing anything.')
    .requiredOption(
      '-f, --filename <file>',
      'file or directory with manifests in YAML or JSON, or - for standard input; can be repeated',
      eachOf,
    )
    .option('--clusters <names>', 'clusters to run the dry run on: a,b', nameList)
    .option('--placement <namespace/name>', 'use the clusters that a placement has selected', namespacedName)
    .option(
      '--work <name>',
      'compare with this work: use its update strategies and executor, and show objects that it would delete',
      workName,
    )
    .option('--timeout <seconds>', 'how long to wait for each cluster', seconds, DEFAULT_TIMEOUT)
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
The agent of each cluster runs a server-side dry run, which includes the defaults, admission and quotas of the cluster. Clusters
with the same changes are shown together. Values of Secrets are sealed in transit and masked in the output. A warning names each
field that would change and that another field manager owns. With --work, objects of the work that are not in the manifests are
shown as deleted. The exit code is 1 if a manifest would be rejected or a cluster does not respond.

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
  else for (const { clusters, text } of await sameTogether(plans)) printText(`=== ${clusters.join(', ')}\n${text}\n`)
  if (plans.some((plan) => 'problem' in plan || plan.changes.some(({ action }) => action === 'Refused'))) {
    process.exitCode = EXIT_FAILED
  }
}

/** Fails if no cluster has the work: the name is wrong. Clusters without the work may get it by this change. */
async function requireWork(client: KubeClient, clusters: readonly string[], work: string): Promise<void> {
  const found = await Promise.all(clusters.map((cluster) => partsOfWork(client, cluster, work)))
  if (found.some((parts) => parts.length > 0)) return
  throw new Error(`work ${work} not found on ${clusters.join(', ')}: omit --work to plan a new work`)
}

/** The plan of one cluster. An error of one cluster does not hide the plans of the others. */
async function planFor(
  client: KubeClient,
  cluster: string,
  manifests: readonly KubeObject[],
  { work, timeout }: PlanOptions,
): Promise<ClusterPlan> {
  const draft = { manifests, ...(work !== undefined && { work }) }
  const late = (limit: string) =>
    `the agent of cluster ${JSON.stringify(cluster)} did not respond within ${limit}: run \`orrery get clusters\` to see its status`
  try {
    const changes = await withTimeout(timeout, late, (signal) => dryRunOnCluster(client, cluster, draft, signal))
    return { cluster, changes }
  } catch (error) {
    return { cluster, problem: errorMessage(error) }
  }
}

/** Clusters with the same plan, in the order of the command line. */
interface PlanGroup {
  readonly clusters: string[]
  readonly text: string
}

/** Groups clusters by the printed plan. Fields that are not printed, such as UIDs of owners, differ between clusters. */
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
  for (const { action } of plan.changes) counts.set(ACTION_TEXTS[action], (counts.get(ACTION_TEXTS[action]) ?? 0) + 1)
  const summary = Array.from(counts, ([words, count]) => `${count} ${words}`).join(', ')
  return `${parts.join('')}${summary}\n`
}

const ACTION_TEXTS: Readonly<Record<PlannedChange['action'], string>> = {
  Create: 'to create',
  Unchecked: 'to create',
  Update: 'to change',
  None: 'unchanged',
  Refused: 'rejected',
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
  const note = message === undefined ? '' : action === 'Refused' ? ` would be rejected: ${message}` : `: ${message}`
  const title = `${SIGNS[action]} ${plainText(object)}${plainText(note)}\n`
  const warned = warnings.map((warning) => `    warning: ${plainText(warning)}\n`).join('')
  return title + warned + (after === undefined ? '' : await diffText(before, after))
}

async function diffText(before: JsonObject | undefined, after: JsonObject): Promise<string> {
  // API servers do not preserve the order of fields.
  const linesOf = async (value: JsonObject | undefined) =>
    value === undefined ? [] : (await formatDocument('yaml', JSON.parse(canonicalJson(value)))).trimEnd().split('\n')
  const changes = lineDiff(await linesOf(before), await linesOf(after))
  return unifiedLines(changes)
    .map((line) => `    ${plainText(line)}\n`)
    .join('')
}
