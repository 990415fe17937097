import { once } from 'node:events'
import { Deployment, type OwnerReference } from '@orrery/kinds'
import { isUnauthorized } from '@orrery/kinds/values'
import { type ControllerSpec, Informers, isForbidden, ownerReferenceTo } from '@orrery/kube'
import { type ManagerContext, signalOfProcess, startManager } from '@orrery/kube/manager'
import { type ClosingStep, closeAll } from '@orrery/kube/process'
import { startProbeServer } from '@orrery/kube/serving'
import { ConfigChecker } from './config-checker.js'
import { type AgentProgramOptions, type ConnectedAgent, connectAgent } from './connect.js'
import { apiServerIsLive, LeaseUpdater } from './lease-updater.js'
import { reportDenials } from './report-denials.js'

/** What the controllers of an add-on's agent share. */
export interface AddonAgentContext extends ConnectedAgent, Pick<ManagerContext, 'events' | 'metrics'> {
  /** The Deployment of the agent, as the owner of what the agent creates in its namespace. Undefined if it is not known. */
  readonly owner: OwnerReference | undefined
  /** Informers of the hub. The agent can list only what its permissions allow: give the namespace of the cluster. */
  readonly hubInformers: Informers
  /** Informers of the managed cluster. */
  readonly managedInformers: Informers
}

/** How to run the agent of an add-on. */
export interface AddonAgentOptions extends AgentProgramOptions {
  /** Creates the controllers to run. The client of their reconciles is the managed cluster's. */
  readonly controllers: (agent: AddonAgentContext) => readonly ControllerSpec[]
  /** The Deployment of the agent. Its Lease is deleted with it. Default: the Lease is not deleted. */
  readonly deployment?: string
  /** Checks without which the Lease is not renewed, besides that the hub does not refuse the agent's watches. Default none. */
  readonly healthChecks?: readonly (() => boolean | Promise<boolean>)[]
  /** Serve `/livez`, `/readyz`, `/healthz` and `/metrics` over TLS at this port. Default: not served. */
  readonly probes?: { readonly host?: string; readonly port: number }
  /** Files that the program reads only once: `/healthz` fails after they change. Default none. */
  readonly watchedFiles?: readonly string[]
  /** Called when the controllers run. */
  readonly onStart?: (agent: AddonAgentContext) => void
}

/**
 * Runs the agent of an add-on until SIGINT or SIGTERM: reads the flags, connects to the hub and to the managed cluster, renews the
 * Lease of the add-on, and runs controllers.
 */
export async function runAddonAgent(options: AddonAgentOptions): Promise<void> {
  const open: ClosingStep[] = []
  const signal = options.signal ?? signalOfProcess(open)
  try {
    const agent = await connectAgent(options, signal, open)
    const owner = await agentOwner(agent, options.deployment)
    const hubInformers = new Informers(agent.hub, { clock: agent.clock, log: agent.log })
    open.push(() => hubInformers.close())
    const lease = startLease(agent, options, owner, hubInformers)
    open.push(() => lease.stop())
    await startControllers({ ...agent, owner, hubInformers }, options, open)
    if (!signal.aborted) await once(signal, 'abort')
  } catch (error) {
    // To be stopped while starting is no failure.
    if (!signal.aborted) throw error
  } finally {
    await closeAll(open)
  }
}

/** Runs one task with the clients of an add-on's agent, such as a pre-delete hook. Takes the same flags as the agent. */
export async function runAddonTask<T>(
  options: AgentProgramOptions,
  task: (agent: ConnectedAgent) => Promise<T>,
): Promise<T> {
  const open: ClosingStep[] = []
  const signal = options.signal ?? signalOfProcess(open)
  try {
    return await task(await connectAgent(options, signal, open))
  } finally {
    await closeAll(open)
  }
}

function startLease(
  agent: ConnectedAgent,
  options: AddonAgentOptions,
  owner: OwnerReference | undefined,
  hubInformers: Informers,
): LeaseUpdater {
  const { addonName, addonNamespace, local, managed, clock, log } = agent
  const lease = new LeaseUpdater({
    client: local,
    addonName,
    addonNamespace,
    healthChecks: [
      () => !isRefused(hubInformers),
      // In hosted mode this process can be healthy while the managed cluster is not.
      ...(managed === local ? [] : [apiServerIsLive(managed)]),
      ...(options.healthChecks ?? []),
    ],
    ...(owner !== undefined && { owner }),
    clock,
    log: log.child('lease'),
  })
  lease.start()
  return lease
}

async function agentOwner(
  { local, addonNamespace: namespace, log, signal }: ConnectedAgent,
  name: string | undefined,
): Promise<OwnerReference | undefined> {
  if (name === undefined) return undefined
  try {
    const deployment = await local.find(Deployment, { namespace, name }, { signal })
    return deployment && ownerReferenceTo(deployment, Deployment)
  } catch (error) {
    if (!isForbidden(error)) throw error
    log.warn('the agent may not read its Deployment: its Lease will not be deleted with it', { namespace, name })
    return undefined
  }
}

async function startControllers(
  agent: ConnectedAgent & Pick<AddonAgentContext, 'owner' | 'hubInformers'>,
  options: AddonAgentOptions,
  open: ClosingStep[],
): Promise<void> {
  const { addonName, hubInformers, managed, local, clock, log, signal } = agent
  const checker = await ConfigChecker.start(options.watchedFiles ?? [])
  let problems = (): readonly string[] => ['the controllers have not started']
  let context: AddonAgentContext | undefined
  if (options.probes !== undefined) {
    const checks = {
      '/livez': () => [],
      '/readyz': () => problems(),
      '/healthz': () => checker.problems(),
    }
    const server = await startProbeServer({ ...options.probes, client: local, checks, log: log.child('probes') })
    open.push(() => server.close())
  }
  const manager = await startManager({
    client: managed,
    eventSource: `${addonName}-agent`,
    controllers: ({ informers, events, metrics }) => {
      context = { ...agent, managedInformers: informers, events, metrics }
      return [reportDenials(agent, agent.owner, agent.denials), ...options.controllers(context)]
    },
    clock,
    log,
    signal,
  })
  open.push(() => manager.close())
  problems = () => [...manager.health.problems, ...failingWatches(hubInformers)]
  log.info('agent started', { addon: addonName, cluster: agent.clusterName })
  if (context !== undefined) options.onStart?.(context)
}

/** Whether the hub denies the agent what it watches. A hub that is unreachable does not: the agent may well work on. */
function isRefused(informers: Informers): boolean {
  return [...informers].some(({ health: { failingSince, lastError } }) => {
    return failingSince !== undefined && (isForbidden(lastError) || isUnauthorized(lastError))
  })
}

function failingWatches(informers: Informers): string[] {
  return [...informers].flatMap(({ kind, health }) =>
    health.failingSince === undefined ? [] : [`watch of ${kind.plural} on the hub fails`],
  )
}
