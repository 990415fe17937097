import {
  type ManagedCluster,
  type ManagedClusterStatus,
  ManagedNamespaceCondition,
  ManagedNamespaceReason,
} from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import { type Finding, setCondition } from '@orrery/kinds/values'
import { always, type ControllerSpec, type Informer, isBeingDeleted, type KubeClient } from '@orrery/kube'
import { inParallel } from '../parallel.js'
import { isAccepted, reportStatus } from './cluster-report.js'
import { FIELD_MANAGER, HUB_BACKOFF } from './registration-context.js'
import { meanwhile } from './wakes.js'

export interface ManagedNamespacesContext {
  readonly clusterName: string
  readonly clusters: Informer<ManagedCluster>
  readonly spoke: KubeClient
  /** The namespaces of the cluster that have the label with the value `true`. */
  readonly namespaces: Informer<Namespace>
  /** The label for namespaces that this hub manages. */
  readonly label: string
}

const APPLIED: Finding = {
  type: ManagedNamespaceCondition.Available,
  status: 'True',
  reason: ManagedNamespaceReason.Applied,
  message: 'Namespace successfully applied and managed',
}

/**
 * Creates the namespaces that the cluster sets of the cluster require, and labels those that are no longer required.
 * Deletes none.
 */
export function managedNamespaces(context: ManagedNamespacesContext): ControllerSpec {
  const { clusterName, clusters, namespaces } = context
  const ref = { name: clusterName }
  return {
    name: 'managed-namespaces',
    wakes: [always(clusters, ref), meanwhile(namespaces, clusters, ref)],
    backoff: HUB_BACKOFF,
    async reconcile(_, { client, clock, signal }) {
      const cluster = clusters.get(ref)
      if (cluster === undefined || !isAccepted(cluster) || !namespaces.synced) return
      const wanted = new Set(isBeingDeleted(cluster) ? [] : cluster.status?.managedNamespaces?.map(({ name }) => name))
      const failures = await applyAll(context, wanted, signal)
      const now = clock.now()
      await reportStatus(client, cluster, (current) => statusFor(current, wanted, failures, now), signal)
      const [first] = failures.values()
      if (first !== undefined) throw first
    },
  }
}

/** Labels required and unrequired namespaces where the label differs. Resolves with the errors by name. */
async function applyAll(
  { spoke, namespaces, label }: ManagedNamespacesContext,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Map<string, unknown>> {
  const failures = new Map<string, unknown>()
  const mark = async (name: string, value: 'true' | 'false') => {
    try {
      const options = { fieldManager: FIELD_MANAGER, force: true, signal }
      await spoke.apply(Namespace, { metadata: { name, labels: { [label]: value } } }, options)
    } catch (error) {
      failures.set(name, error)
    }
  }
  const missing = [...wanted].filter((name) => namespaces.get({ name }) === undefined)
  const former = namespaces
    .list()
    .map(({ metadata }) => metadata.name)
    .filter((name) => !wanted.has(name))
  await inParallel(missing, (name) => mark(name, 'true'))
  await inParallel(former, (name) => mark(name, 'false'))
  return failures
}

function statusFor(
  { status = {} }: ManagedCluster,
  wanted: ReadonlySet<string>,
  failures: ReadonlyMap<string, unknown>,
  now: Date,
): ManagedClusterStatus {
  if (status.managedNamespaces === undefined) return status
  const managed = status.managedNamespaces.map((namespace) => {
    if (!wanted.has(namespace.name)) return namespace
    const error = failures.get(namespace.name)
    return {
      ...namespace,
      conditions: setCondition(namespace.conditions, error === undefined ? APPLIED : failed(error), now),
    }
  })
  return { ...status, managedNamespaces: managed }
}

function failed(error: unknown): Finding {
  return {
    type: ManagedNamespaceCondition.Available,
    status: 'False',
    reason: ManagedNamespaceReason.ApplyFailed,
    message: `Failed to apply namespace: ${error instanceof Error ? error.message : String(error)}`,
  }
}
