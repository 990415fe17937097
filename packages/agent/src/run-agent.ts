import { AGENT_LEADER_LEASE, AGENT_NAMESPACE } from '@orrery/api'
import { isForbidden } from '@orrery/kinds/values'
import { candidateIdentity, LeaderElection, lead } from '@orrery/kube/election'
import { silentLogger } from '@orrery/kube/log'
import { type Agent, startAgent } from './agent.js'
import { installSpoke } from './install-spoke.js'
import type { AgentOptions } from './options.js'

/** The time a new leader may need, in seconds: to notice that the old one is gone, and to start. */
const LEADER_HANDOVER_SECONDS = 30

export interface RunOptions {
  /** Whether to run only while this process is the leader. */
  readonly leaderElect: boolean
  /** Stops the agent. */
  readonly signal: AbortSignal
  /** Called when the agent has started. */
  readonly onStart?: (agent: Agent) => void
}

/**
 * Runs the agent of an existing cluster until the signal aborts. Installs the agent's namespace and CRDs first.
 * Rejects when another process becomes the leader.
 */
export async function runAgent(options: AgentOptions, run: RunOptions): Promise<void> {
  const handover = run.leaderElect ? { handoverSeconds: LEADER_HANDOVER_SECONDS } : {}
  await runOnSpoke(options, run, async () => {
    const agent = await startAgent({ ...handover, ...options })
    run.onStart?.(agent)
    return agent
  })
}

/** Installs the agent's namespace and CRDs, and runs something on the cluster while this process is the leader. */
export async function runOnSpoke(
  { spoke, namespace = AGENT_NAMESPACE, log = silentLogger }: Pick<AgentOptions, 'spoke' | 'namespace' | 'log'>,
  { leaderElect, signal }: Pick<RunOptions, 'leaderElect' | 'signal'>,
  start: () => Promise<{ close(): Promise<void> }>,
): Promise<void> {
  try {
    await installSpoke(spoke, namespace)
  } catch (error) {
    if (!isForbidden(error)) throw error
    log.warn('this agent may not install its CRDs: using those of its installation', { error })
  }
  const work = async (stop: AbortSignal) => {
    const running = await start()
    await whenAborted(stop)
    await running.close()
  }
  if (!leaderElect) return work(signal)
  const lease = { namespace, name: AGENT_LEADER_LEASE }
  const election = new LeaderElection({ client: spoke, lease, ...candidateIdentity(), log: log.child('election') })
  if ((await lead(election, work, signal)) === 'lost') throw new Error('another process is the leader now')
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
