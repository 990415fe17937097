import { type Agent, type AgentOptions, startAgent } from '@orrery/agent'
import { AGENT_LEADER_LEASE, AGENT_NAMESPACE } from '@orrery/api'
import { isForbidden } from '@orrery/kinds/values'
import { LeaderElection, lead, silentLogger } from '@orrery/kube'
import { candidacy } from './candidacy.js'
import { installSpoke } from './spoke.js'

/** How long the next leader may take, in seconds: as long as it takes to notice that the last one is gone, and to start. */
const LEADER_HANDOVER_SECONDS = 30

export interface RunOptions {
  /** Whether to work only while no other process does. */
  readonly leaderElect: boolean
  /** Ends it. */
  readonly signal: AbortSignal
  /** Hears of the agent when it has started. Default nobody. */
  readonly onStart?: (agent: Agent) => void
}

/** Runs the agent of a cluster that is there already, until it is told to end or another process takes over. */
export async function runAgent(options: AgentOptions, run: RunOptions): Promise<void> {
  const { leaderElect, signal, onStart } = run
  const { spoke, namespace = AGENT_NAMESPACE, log = silentLogger } = options
  try {
    await installSpoke(spoke, namespace)
  } catch (error) {
    if (!isForbidden(error)) throw error
    log.warn('the definitions that an agent needs are left to whoever installed it', { error })
  }
  const work = async (stop: AbortSignal) => {
    const agent = await startAgent(leaderElect ? { handoverSeconds: LEADER_HANDOVER_SECONDS, ...options } : options)
    onStart?.(agent)
    await whenAborted(stop)
    await agent.close()
  }
  if (!leaderElect) return work(signal)
  const lease = { namespace, name: AGENT_LEADER_LEASE }
  const election = new LeaderElection({ client: spoke, lease, ...candidacy(), log: log.child('election') })
  if ((await lead(election, work, signal)) === 'lost') throw new Error('another process took over')
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
