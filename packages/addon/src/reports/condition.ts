import { AddOnCondition } from '@orrery/api'
import type { ConditionStatus } from '@orrery/kinds'
import { codePointCount, findCondition, isQualifiedName } from '@orrery/kinds/values'
import { isBeingDeleted, writeConditions } from '@orrery/kube'
import type { AddonAgent } from '../addon-agent.js'
import { recall, remember } from './memory.js'
import { addonKind, type OwnAddon, readOwnAddon } from './ownership.js'
import { NOT_WRITTEN, type Report } from './report.js'

/** A condition to report. */
export interface ConditionReport {
  /** Its type, such as `PodCountHealthy`. Not one of those that the hub and the agent of the cluster write. */
  readonly type: string
  readonly status: ConditionStatus
  /** The reason in CamelCase, up to 1,024 characters. */
  readonly reason: string
  /** Text for people, up to 32,768 characters. Default empty. */
  readonly message?: string
  /**
   * How often a message is written if only the message has changed, in seconds. Each write wakes the controllers of the add-on on
   * the hub: a message with a count would wake them all the time. Default 300.
   */
  readonly messageSeconds?: number
  /** Allow the type `Available`, for add-ons whose health prober is `None`. Default false. */
  readonly ownsAvailable?: boolean
}

const MAX_MESSAGE = 32_768
const MAX_REASON = 1_024
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/
const DEFAULT_MESSAGE_SECONDS = 300
const STATUSES: readonly string[] = ['True', 'False', 'Unknown'] satisfies ConditionStatus[]

/** Conditions that others write. Nothing writes Degraded unless the add-on does. */
const TAKEN: readonly string[] = Object.values(AddOnCondition).filter((type) => type !== AddOnCondition.Degraded)

/**
 * Reports a condition in the status of the ManagedClusterAddOn. Its time changes only with its status. It is as fresh as the
 * condition Available: that is False or Unknown after the agent has stopped. The agent needs `get` for ManagedClusterAddOns in
 * the namespace of its cluster, and `patch` for their status.
 */
export async function reportCondition(agent: AddonAgent, report: ConditionReport): Promise<Report> {
  check(report)
  const { hub, clock, signal, addonName } = agent
  const { type, status, reason, message = '' } = report
  const kind = await addonKind(agent)
  const known = recall(agent, kind, addonName)
  const addon = known ?? (await readOwnAddon(agent))
  if (isBeingDeleted(addon) || !isDue(agent, report, addon)) return NOT_WRITTEN
  // Other controllers write this status often: the known version would cause a conflict.
  const latest = known === undefined ? addon : await readOwnAddon(agent)
  if (isBeingDeleted(latest)) return NOT_WRITTEN
  const written = await writeConditions(hub, kind, latest, [{ type, status, reason, message }], { clock, signal })
  remember(agent, kind, written)
  noteMessage(agent, type)
  return { written: written.metadata.resourceVersion !== latest.metadata.resourceVersion }
}

/** Whether a condition has to be written: its status or reason has changed, or its message has and was not written lately. */
function isDue(agent: AddonAgent, report: ConditionReport, { status }: OwnAddon): boolean {
  const before = findCondition(status?.conditions, report.type)
  if (before?.status !== report.status || before.reason !== report.reason) return true
  const { message = '', messageSeconds = DEFAULT_MESSAGE_SECONDS } = report
  return before.message !== message && isMessageDue(agent, report.type, messageSeconds)
}

/** When the condition of a type was last written, by agent and type. */
const messages = new WeakMap<AddonAgent, Map<string, number>>()

function isMessageDue(agent: AddonAgent, type: string, seconds: number): boolean {
  const last = messages.get(agent)?.get(type)
  return last === undefined || agent.clock.elapsed() - last >= 1_000 * seconds
}

function noteMessage(agent: AddonAgent, type: string): void {
  const times = messages.get(agent) ?? new Map<string, number>()
  messages.set(agent, times.set(type, agent.clock.elapsed()))
}

function check({ type, status, reason, message = '', ownsAvailable = false }: ConditionReport): void {
  const what = `condition ${JSON.stringify(type)}`
  if (TAKEN.includes(type) && !(ownsAvailable && type === AddOnCondition.Available)) {
    throw new RangeError(`${what}: the hub or the agent of the cluster writes this type: choose another type`)
  }
  const problem = isQualifiedName(type)[0]
  if (problem !== undefined) throw new RangeError(`${what}: type: ${problem}`)
  if (!STATUSES.includes(status)) {
    throw new RangeError(`${what}: status must be "True", "False" or "Unknown", not ${JSON.stringify(status)}`)
  }
  if (!REASON.test(reason) || reason.length > MAX_REASON) {
    throw new RangeError(
      `${what}: reason must be in CamelCase with 1 to ${MAX_REASON} letters, digits, "_", "," and ":", ` +
        `not ${JSON.stringify(reason.slice(0, 100))}`,
    )
  }
  const length = codePointCount(message)
  if (length > MAX_MESSAGE) {
    throw new RangeError(`${what}: message has ${length} characters, and the limit is ${MAX_MESSAGE}: shorten it`)
  }
}
