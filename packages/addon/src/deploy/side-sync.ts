import { type ManagedClusterAddOn, ManagedClusterCondition, type ManifestWork } from '@orrery/api'
import { hasCondition } from '@orrery/kinds/values'
import { hasFinalizer, isBeingDeleted } from '@orrery/kube'
import type { Manifest, NewManifestConfig } from '../agent-addon.js'
import type { Deployment } from './applied-condition.js'
import { deployTo, type Writing, writeHookWork } from './apply-works.js'
import type { Hook } from './hook-condition.js'
import { type HookState, hookStateOf } from './hook-work.js'
import { type Rendering, textOf } from './render.js'
import type { Side } from './side.js'

/** What was done for one cluster. */
export interface SideResult {
  readonly side: Side
  readonly deployment: Deployment
  /** The works that deploy the agent; undefined if they could not be written. */
  readonly deployed: readonly ManifestWork[] | undefined
  /** The hooks that have to complete before the add-on is deleted. */
  readonly hook: Hook | undefined
  /** The failure to retry. */
  readonly error?: unknown
  /** When to write the rest. */
  readonly retryAfterMilliseconds?: number
}

/** What is the same for all clusters of an add-on. */
export interface Deploying {
  readonly addon: ManagedClusterAddOn
  readonly rendering: Rendering
  readonly manifestConfigs: readonly NewManifestConfig[]
}

/** Writes the works for one cluster: those that deploy the agent, and the hooks if the add-on is being deleted. */
export async function syncSide(side: Side, deploying: Deploying, run: Writing): Promise<SideResult> {
  const { addon, rendering, manifestConfigs } = deploying
  const isHooked = isBeingDeleted(addon) && hasFinalizer(addon, side.hookFinalizer)
  const hookIn = (state: HookState): Hook => ({ work: side.hookName, finalizer: side.hookFinalizer, state })
  if ('problem' in rendering) {
    const { problem, error } = rendering
    const hook = isHooked ? hookIn({ state: 'running', problem }) : undefined
    return { side, deployment: { problem }, deployed: undefined, hook, error }
  }
  const { deploy, hooks } = rendering.rendered[side.part]
  const attempt = await deployTo(side, { addon, manifests: deploy, manifestConfigs }, run)
  const { error, retryAfterMilliseconds } = attempt
  const result = {
    side,
    deployed: 'works' in attempt ? attempt.works : undefined,
    error,
    ...(retryAfterMilliseconds !== undefined && { retryAfterMilliseconds }),
  }
  if (!isHooked || hooks.length === 0) return { ...result, deployment: attempt, hook: undefined }
  try {
    const work = await writeHookWork(side, addon, hooks, run)
    const deployment = 'works' in attempt ? { works: [...attempt.works, work] } : attempt
    return { ...result, deployment, hook: hookIn(stateOf(side, hooks, work)) }
  } catch (error) {
    const problem = `failed to apply manifestWork: ${textOf(error)}`
    return { ...result, deployment: { problem }, hook: hookIn({ state: 'running', problem }), error }
  }
}

function stateOf(side: Side, hooks: readonly Manifest[], work: ManifestWork): HookState {
  const state = hookStateOf(hooks, work)
  const { metadata, status } = side.cluster
  const isUnreachable = hasCondition(status?.conditions, ManagedClusterCondition.Available, 'Unknown')
  if (state.state !== 'running' || !isUnreachable) return state
  return { state: 'running', problem: `Cluster ${metadata.name} is unreachable` }
}
