import { DRY_RUN_COMPLETE, type ManifestChange, ManifestWorkDryRun } from '@orrery/api'
import { isConditionTrue, isNotFound, setCondition } from '@orrery/kinds/values'
import { type ControllerSpec, each, type KubeClient, startControllers, writeStatus } from '@orrery/kube'
import { Discovery } from '@orrery/kube/discovery'
import type { AgentContext, RunningPart } from '../context.js'
import type { Reveal } from '../work/context.js'
import { ExecutorCheck } from '../work/executor/executor.js'
import { OwnSecrets } from '../work/own-secrets.js'
import { type DryRunTools, dryRun } from './dry-run.js'

/** The limit of all changes together, as JSON: etcd limits objects to 1.5 MiB. */
const MAX_BYTES = 1_048_576

/** The longest backoff is short because clients wait for half a minute. */
const BACKOFF = { firstMilliseconds: 50, maxMilliseconds: 5_000 }

interface DryRunContext
  extends Pick<
    AgentContext,
    'hub' | 'hubInformers' | 'clusterName' | 'agentNamespace' | 'spoke' | 'clock' | 'log' | 'metrics'
  > {
  readonly reveal: Reveal
}

/** Starts to serve the dry runs of a cluster. A hub without the kind, such as Open Cluster Management's, has none. */
export async function startDryRuns(context: DryRunContext): Promise<RunningPart> {
  const { hub, clusterName, agentNamespace, spoke, reveal, clock, log, metrics } = context
  if (!(await isServed(hub))) return { close: async () => undefined }
  const discovery = new Discovery(spoke, { clock })
  const tools: DryRunTools = {
    spoke,
    discovery,
    executors: new ExecutorCheck(spoke, clock),
    ownSecrets: new OwnSecrets(agentNamespace),
    reveal,
  }
  const controllers = startControllers([dryRunController(context, tools)], {
    client: hub,
    clock,
    log,
    metrics,
  })
  log.debug('serving dry runs', { cluster: clusterName })
  return { close: () => controllers.stop() }
}

/** Reads the discovery of this group only: that of the whole hub would be large for every agent of a fleet. */
async function isServed(hub: KubeClient): Promise<boolean> {
  try {
    await hub.getJson(`/apis/${ManifestWorkDryRun.group}/${ManifestWorkDryRun.version}`)
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

function dryRunController(
  { hub, hubInformers, clusterName, clock }: DryRunContext,
  tools: DryRunTools,
): ControllerSpec {
  const dryRuns = hubInformers.of(ManifestWorkDryRun, { namespace: clusterName })
  return {
    name: 'manifest-work-dry-run',
    backoff: BACKOFF,
    wakes: [each(dryRuns, undefined, { when: ({ after }) => after !== undefined && !isComplete(after) })],
    async reconcile(ref, { signal }) {
      const request = dryRuns.get(ref)
      if (request === undefined || isComplete(request)) return
      const changes = fitting(await dryRun(request, tools, signal))
      await writeStatus(
        hub,
        ManifestWorkDryRun,
        request,
        (current) => ({
          conditions: setCondition(
            current.status?.conditions,
            {
              type: DRY_RUN_COMPLETE,
              status: 'True',
              reason: 'DryRunComplete',
              message: 'The status lists the change of each manifest',
              observedGeneration: request.metadata.generation ?? 0,
            },
            clock.now(),
          ),
          changes,
        }),
        { signal },
      )
    },
  }
}

function isComplete({ status }: ManifestWorkDryRun): boolean {
  return isConditionTrue(status?.conditions, DRY_RUN_COMPLETE)
}

/** Leaves out the largest objects when all of them exceed what an API server stores. */
function fitting(changes: readonly ManifestChange[]): ManifestChange[] {
  const sizes = changes.map((change) => JSON.stringify(change).length)
  let total = sizes.reduce((sum, size) => sum + size, 0)
  const fitted = [...changes]
  const largestFirst = [...sizes.keys()].sort((a, b) => (sizes[b] as number) - (sizes[a] as number))
  for (const at of largestFirst) {
    if (total <= MAX_BYTES) break
    const { before: _, after: __, ...rest } = fitted[at] as ManifestChange
    const message = rest.message ?? 'The object is too large to be shown: all changes together exceed 1 MiB'
    fitted[at] = { ...rest, message }
    total -= (sizes[at] as number) - JSON.stringify(fitted[at]).length
  }
  return fitted
}
