import { AddOnCondition, AddOnReason, type ManagedClusterAddOn, type ManifestWork } from '@orrery/api'
import type { Finding } from '@orrery/kinds/values'
import { type ReconcileContext, requeueAfter, requeueAt } from '@orrery/kube'
import { type Requeue, soonest } from '@orrery/kube/controller'
import type { EventRecorder } from '@orrery/kube/events'
import { isConfigNotReady } from '../config/config-not-ready.js'
import { availability } from '../health/availability.js'
import { feedbackFields, healthCheckMode, workProberOf } from '../health/prober.js'
import { appliedFinding } from './applied-condition.js'
import { deleteWorks } from './delete-works.js'
import { addFinalizers, removeFinalizers } from './finalizers.js'
import { type HookLimit, hookFinding, isOver } from './hook-condition.js'
import { type Hosting, hostingFinding } from './hosting.js'
import { manifestConfigsOf } from './manifest-configs.js'
import { DEPLOY_FINALIZERS, neededFinalizers, planOf, type Subject } from './plan.js'
import { type Rendering, render } from './render.js'
import { type SideResult, syncSide } from './side-sync.js'
import { type Report, writeReport } from './status.js'
import type { UpdateLimit } from './update-limit.js'

/** What all add-ons share. */
export interface Deployer {
  readonly events: EventRecorder
  readonly limit: UpdateLimit
}

/**
 * Deploys an add-on to its cluster and reports on it. Finalizers are added before anything they protect is written, and removed
 * when the status says why.
 */
export async function syncAddon(
  subject: Subject,
  { events, limit: updates }: Deployer,
  run: ReconcileContext,
): Promise<Requeue | undefined> {
  const { agent, cluster, install } = subject
  const { client, clock, signal } = run
  const plan = planOf(subject)
  const rendering = plan.needsManifests ? await render(agent, cluster, subject.addon, install, run) : undefined
  const rendered = rendering !== undefined && 'rendered' in rendering ? rendering.rendered : undefined
  const needed = neededFinalizers(subject, rendered)
  const addon = await addFinalizers(client, subject.addon, needed, signal)
  if (addon === undefined) return undefined

  const manifestConfigs = manifestConfigsOf(
    feedbackFields(agent.healthProber, manifestsOf(rendering) ?? []),
    agent.manifestConfigs,
  )
  const results: SideResult[] = []
  if (rendering !== undefined) {
    const deploying = { addon, rendering, manifestConfigs }
    for (const side of plan.sides) results.push(await syncSide(side, deploying, { client, signal, limit: updates }))
  }
  await deleteWorks(client, plan.abandoned, signal)

  const limit = hookLimitOf(addon, agent.hookTimeoutSeconds)
  const hooks = results.flatMap(({ hook }) => hook ?? [])
  const hookResult = hookFinding(hooks, limit, clock.now())
  const reported = await writeReport(addon, reportOf({ ...subject, addon }, rendering, results, hookResult), run)
  if (hookResult?.reason === AddOnReason.HookTimedOut) {
    run.log.warn('deleting an add-on without its hooks', { problem: hookResult.message ?? '' })
    events.record({ regarding: addon, type: 'Warning', reason: hookResult.reason, note: hookResult.message ?? '' })
  }
  const finished = hooks.filter(({ state }) => state.state === 'completed' || isOver(limit, clock.now()))
  const kept = needed.filter((finalizer) => !finished.some((hook) => hook.finalizer === finalizer))
  await removeFinalizers(
    client,
    reported ?? addon,
    DEPLOY_FINALIZERS.filter((finalizer) => !kept.includes(finalizer)),
    signal,
  )

  const failed = results.find(({ error }) => error !== undefined)
  // The status has the problem, and changes when there is a hash.
  if (failed !== undefined && !isConfigNotReady(failed.error)) throw failed.error
  const late = results.map(({ retryAfterMilliseconds }) => retryAfterMilliseconds).find((wait) => wait !== undefined)
  if (late !== undefined) run.log.warn('the manifests of an add-on change too often: its works are updated later')
  return soonest(
    clock.now(),
    late === undefined ? undefined : requeueAfter(late),
    limit !== undefined && finished.length < hooks.length ? requeueAt(limit.deadline) : undefined,
  )
}

function manifestsOf(rendering: Rendering | undefined) {
  return rendering !== undefined && 'manifests' in rendering ? rendering.manifests : undefined
}

/** Until when the hooks of an add-on that is being deleted may run. */
function hookLimitOf({ metadata }: ManagedClusterAddOn, seconds: number | undefined): HookLimit | undefined {
  const since = metadata.deletionTimestamp
  if (seconds === undefined || since === undefined) return undefined
  return { seconds, deadline: new Date(Date.parse(since) + seconds * 1_000) }
}

function reportOf(
  { agent, addon, cluster, install, hosting, works }: Subject,
  rendering: Rendering | undefined,
  results: readonly SideResult[],
  hookResult: Finding | undefined,
): Report {
  const applied = results.map(({ side, deployment }) => ({
    type: side.condition,
    finding: appliedFinding(side.condition, deployment),
  }))
  const validity = hostingFinding(hosting)
  const { HostingClusterValidity, HostingManifestApplied } = AddOnCondition
  const manifests = manifestsOf(rendering)
  const prober = workProberOf(agent.healthProber, manifests)
  const part = install.mode === 'Hosted' ? 'hosting' : 'managed'
  const probed: readonly ManifestWork[] =
    deployedTo(part, results) ?? (part === 'hosting' ? worksOn(hosting, works.hosting) : works.deploy)
  const isEmpty = rendering !== undefined && 'rendered' in rendering && rendering.rendered[part].deploy.length === 0
  return {
    findings: [...applied.map(({ finding }) => finding), validity, hookResult].filter((found) => found !== undefined),
    outdated: applied.filter(({ finding }) => finding === undefined).map(({ type }) => type),
    gone: hosting.state === 'none' ? [HostingClusterValidity, HostingManifestApplied] : [],
    mode: healthCheckMode(agent.healthProber),
    available: (conditions) =>
      prober && availability({ addon, conditions, cluster, works: probed, probe: prober.probe, isEmpty }),
  }
}

/** Only the hosting cluster reports on a hosted agent: the agents of other clusters could have works that look the same. */
function worksOn(hosting: Hosting, works: readonly ManifestWork[]): readonly ManifestWork[] {
  return hosting.state === 'none' ? [] : works.filter(({ metadata }) => metadata.namespace === hosting.name)
}

/** The works that were written for a cluster; undefined if none were. */
function deployedTo(
  part: SideResult['side']['part'],
  results: readonly SideResult[],
): readonly ManifestWork[] | undefined {
  return results.find(({ side }) => side.part === part)?.deployed
}
