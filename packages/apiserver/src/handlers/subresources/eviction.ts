import type { JsonObject, KubeObject } from '@orrery/kinds'
import { metaSchemas } from '@orrery/kinds/tables'
import {
  badRequest,
  formatTime,
  type LabelSelectorSpec,
  notFound,
  selectsLabels,
  tooManyRequests,
} from '@orrery/kinds/values'
import { inTurns } from '../../fairness/turns.js'
import { type DeleteOptions, parseDeleteOptions, remove } from '../../registry/delete.js'
import { modify } from '../../registry/modify.js'
import { encodeObject } from '../../registry/object-meta.js'
import type { Registry } from '../../registry/registry.js'
import { parseWriteOptions } from '../../request/options.js'
import { Query } from '../../request/query.js'
import { conform } from '../../schema/conform.js'
import { type Entry, HeadMoved } from '../../store/types.js'
import { sendObject } from '../reply.js'
import { callContext, type ResourceCall, writeContext } from '../resource.js'
import { readTyped } from './typed-body.js'

const BUDGET_BUCKET = 'poddisruptionbudgets.policy'

interface Budget {
  readonly spec?: { selector?: LabelSelectorSpec; unhealthyPodEvictionPolicy?: string }
  readonly status?: {
    disruptionsAllowed?: number
    observedGeneration?: number
    currentHealthy?: number
    desiredHealthy?: number
    disruptedPods?: Record<string, string>
  }
}

/** `pods/<name>/eviction`: a delete that PodDisruptionBudgets may refuse. */
export async function evictPod(registry: Registry, call: ResourceCall): Promise<void> {
  const eviction = await readTyped(call, 'policy', 'v1', 'Eviction', ['v1beta1'])
  const { name } = call.target
  if ((eviction.metadata.name ?? name) !== name) throw badRequest('name in URL does not match name in Eviction object')
  const entry = registry.store.head('pods', call.namespace, name)
  if (entry === undefined) throw notFound({ group: '', resource: 'pods' }, name)
  const options = readOptions(eviction, call)
  if (!canIgnoreBudgets(entry.object())) await keepBudgets(registry, call, entry, options.dryRun)
  const deletion = options.dryRun ? options : await markPod(registry, call, options)
  await remove(registry, { ...callContext(call), subresource: '' }, deletion)
  await sendObject(call.exchange, 201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
}

/**
 * Sets the `DisruptionTarget` condition of the pod, for the controllers that count its end. Returns the delete options.
 */
async function markPod(registry: Registry, call: ResourceCall, options: DeleteOptions): Promise<DeleteOptions> {
  const context = writeContext(call, callContext(call), parseWriteOptions(Query.empty, 'UpdateOptions'))
  let isMarked = false
  const change = (pod: KubeObject) => {
    // A pod that fails the preconditions stays unchanged, and the deletion returns the error.
    isMarked = isMeant(pod, options)
    return isMarked ? withTarget(pod, formatTime(registry.clock.now())) : pod
  }
  const { object } = await modify(registry, { ...context, subresource: 'status' }, { options: 'UpdateOptions', change })
  const { resourceVersion } = object.metadata
  return isMarked && options.resourceVersion !== undefined ? { ...options, resourceVersion } : options
}

function isMeant({ metadata }: KubeObject, { uid, resourceVersion }: DeleteOptions): boolean {
  return (
    (uid ?? metadata.uid) === metadata.uid && (resourceVersion ?? metadata.resourceVersion) === metadata.resourceVersion
  )
}

function withTarget(pod: KubeObject, now: string): KubeObject {
  const status = (pod.status ?? {}) as { conditions?: JsonObject[] }
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastProbeTime: null,
    lastTransitionTime: now,
  }
  const others = (status.conditions ?? []).filter(({ type }) => type !== target.type)
  return { ...pod, status: { ...status, conditions: [...others, target] } }
}

function readOptions(eviction: KubeObject, call: ResourceCall): DeleteOptions {
  const body = eviction.deleteOptions
  const fromUrl = parseDeleteOptions(undefined, call.target.query)
  if (body === undefined) return fromUrl
  const options = parseDeleteOptions(conform(body, metaSchemas.DeleteOptions).object, Query.empty)
  return { ...options, dryRun: options.dryRun || fromUrl.dryRun }
}

/** Pods that do not run do not count against a budget. */
function canIgnoreBudgets(pod: KubeObject): boolean {
  const phase = (pod.status as { phase?: string } | undefined)?.phase
  return (
    phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined
  )
}

/** Counts the eviction against the budget of the pod, with retries on conflict. Throws a 429. */
async function keepBudgets(registry: Registry, call: ResourceCall, pod: Entry, dryRun: boolean): Promise<void> {
  for (;;) {
    try {
      return await spendBudget(registry, call, pod, dryRun)
    } catch (error) {
      if (!(error instanceof HeadMoved)) throw error
      // The conflicting change is visible once it is on disk.
      await registry.store.flushed()
    }
  }
}

async function spendBudget(registry: Registry, call: ResourceCall, pod: Entry, dryRun: boolean): Promise<void> {
  const labels = pod.object().metadata.labels ?? {}
  const budgets: Entry[] = []
  const { entries } = registry.store.page({ bucket: BUDGET_BUCKET, namespace: call.namespace })
  await inTurns(call.identity.username, entries, (entry) => {
    if (selectsLabels((entry.object() as unknown as Budget).spec?.selector, labels)) budgets.push(entry)
  })
  if (budgets.length === 0) return
  if (budgets.length > 1)
    throw badRequest('This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.')
  const entry = budgets[0] as Entry
  const budget = entry.object()
  const status = (budget as unknown as Budget).status ?? {}
  if (isUnhealthyAndFree(pod.object(), budget as unknown as Budget)) return
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0)) {
    throw refused(`The disruption budget ${entry.name} is still being processed by the server.`, 10)
  }
  const allowed = status.disruptionsAllowed ?? 0
  if (allowed <= 0) {
    throw refused(
      `Cannot evict pod as it would violate the pod's disruption budget. The disruption budget ${entry.name} needs ${status.desiredHealthy ?? 0} healthy pods and has ${status.currentHealthy ?? 0} currently`,
      0,
    )
  }
  if (dryRun) return
  const disruptedPods = {
    ...status.disruptedPods,
    [pod.name]: formatTime(registry.clock.now()),
  }
  const spent = {
    ...budget,
    metadata: { ...budget.metadata },
    status: { ...status, disruptionsAllowed: allowed - 1, disruptedPods },
  }
  await registry.store.put(entry.bucket, entry.namespace, entry.name, entry, (revision) =>
    encodeObject(spent, revision),
  )
}

function isUnhealthyAndFree(pod: KubeObject, budget: Budget): boolean {
  const conditions = (pod.status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? []
  if (conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True')) return false
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {}
  return (
    budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' ||
    (desiredHealthy > 0 && currentHealthy >= desiredHealthy)
  )
}

function refused(message: string, retryAfterSeconds: number): Error {
  const error = tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", retryAfterSeconds)
  error.status.details = {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
  }
  return error
}
