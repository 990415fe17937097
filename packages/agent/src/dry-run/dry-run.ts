import {
  type ManifestChange,
  type ManifestWorkDryRun,
  type ManifestWorkDryRunSpec,
  WORK_FIELD_MANAGER,
} from '@orrery/api'
import type { KubeObject, OwnerReference } from '@orrery/kinds'
import { isObject, jsonEqual } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { Discovery, DynamicObject } from '@orrery/kube/discovery'
import { isConnectionError } from '@orrery/kube/transport'
import { inParallel } from '../parallel.js'
import { applyManifest } from '../work/apply/apply.js'
import type { ApplyRequest } from '../work/apply/apply-request.js'
import { desiredObject } from '../work/apply/desired.js'
import { lacksNamespace } from '../work/apply/namespace-loss.js'
import { failed } from '../work/apply/outcome.js'
import type { Reveal } from '../work/context.js'
import type { ExecutorCheck } from '../work/executor/executor.js'
import type { OwnSecrets } from '../work/own-secrets.js'
import {
  type NamedManifest,
  type PlannedManifest,
  planManifest,
  readManifests,
  type UnusableManifest,
} from '../work/plan/manifest.js'
import { namespacedRef } from '../work/watched/entry.js'
import { comparable } from './comparable.js'
import { foreignFieldWarnings } from './foreign-fields.js'

/** What a dry run uses of the cluster. */
export interface DryRunTools {
  readonly spoke: KubeClient
  readonly discovery: Discovery
  readonly executors: ExecutorCheck
  readonly ownSecrets: OwnSecrets
  readonly reveal: Reveal
}

/** Owners stay as they are: a dry run has no AppliedManifestWork, and people compare what the manifest sets. */
const NO_OWNER: OwnerReference = { apiVersion: '', kind: '', name: '', uid: '' }

/**
 * Returns what applying the manifests would change, in their order. The manifests take the path of a ManifestWork's, with
 * their update strategies and the executor's permissions, but every write is a server-side dry run. Throws when the API
 * server of the cluster does not answer.
 */
export async function dryRun(
  { spec }: Pick<ManifestWorkDryRun, 'spec'>,
  tools: DryRunTools,
  signal: AbortSignal,
): Promise<ManifestChange[]> {
  const { named, unusable } = readManifests({ spec })
  const bundled = bundledIn(named)
  const tried = await inParallel(named, (manifest) => tryManifest(manifest, spec, bundled, tools, signal))
  return [...unusable.map(refused), ...tried].sort((a, b) => a.resourceMeta.ordinal - b.resourceMeta.ordinal)
}

function refused({ resourceMeta, problem }: UnusableManifest): ManifestChange {
  return { resourceMeta, action: 'Refused', message: problem }
}

/** What some manifests create and others need. */
interface Bundled {
  readonly namespaces: ReadonlySet<string>
  /** As `group/kind`. */
  readonly kinds: ReadonlySet<string>
}

function bundledIn(manifests: readonly NamedManifest[]): Bundled {
  const namespaces = new Set<string>()
  const kinds = new Set<string>()
  for (const { object } of manifests) {
    const { kind, metadata, spec } = object
    if (kind === 'Namespace') namespaces.add(metadata.name ?? '')
    if (kind === 'CustomResourceDefinition' && isObject(spec) && isObject(spec.names)) {
      kinds.add(`${spec.group}/${spec.names.kind}`)
    }
  }
  return { namespaces, kinds }
}

async function tryManifest(
  named: NamedManifest,
  spec: ManifestWorkDryRunSpec,
  bundled: Bundled,
  tools: DryRunTools,
  signal: AbortSignal,
): Promise<ManifestChange> {
  const planned = await planManifest(named, { spec }, tools.discovery, signal)
  if ('problem' in planned) {
    const { kind } = named.object
    if (!bundled.kinds.has(`${named.group}/${kind}`)) return refused(planned)
    return unchecked(planned.resourceMeta, named.object, `it needs kind ${kind}, which the same workload defines`)
  }
  let revealed = named.object
  try {
    revealed = await tools.reveal(named.object)
    return await compare(planned, desiredObject(revealed), spec, tools, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (isConnectionError(error)) throw error
    const { namespace } = planned.ref
    if (lacksNamespace(error) && bundled.namespaces.has(namespace)) {
      const message = `it needs namespace ${namespace}, which the same workload creates`
      return unchecked(planned.resourceMeta, revealed, message)
    }
    const { message } = failed(error, planned.resourceMeta, revealed)
    return { resourceMeta: planned.resourceMeta, action: 'Refused', message }
  }
}

function unchecked(
  resourceMeta: ManifestChange['resourceMeta'],
  manifest: KubeObject,
  message: string,
): ManifestChange {
  return { resourceMeta, action: 'Unchecked', message, after: comparable(undefined, manifest).after }
}

async function compare(
  manifest: PlannedManifest,
  desired: KubeObject,
  { executor }: ManifestWorkDryRunSpec,
  { spoke: client, executors, ownSecrets }: DryRunTools,
  signal: AbortSignal,
): Promise<ManifestChange> {
  const { resourceMeta, ref, strategy } = manifest
  // Before anything is read, because the result shows the object.
  ownSecrets.check(ref)
  await executors.check(executor, manifest, desired, false, signal)
  if (strategy.type === 'ReadOnly') return { resourceMeta, action: 'None' }
  const current = await client.find(manifest.kind, namespacedRef(ref), { signal })
  const { type } = strategy
  const request: ApplyRequest = {
    manifest: { ...manifest, isOwned: false },
    desired,
    owner: NO_OWNER,
    current,
    isKnown: true,
    client,
    signal,
    checkDelete: () => executors.checkDelete(executor, manifest, signal),
    dryRun: true,
  }
  await executors.checkWrite(executor, manifest, (asExecutor) =>
    applyManifest(type, { ...request, client: asExecutor }),
  )
  const applied = await applyManifest(type, request)
  const { before, after } = comparable(current, applied)
  if (before === undefined) return { resourceMeta, action: 'Create', after }
  if (jsonEqual(before, after)) return { resourceMeta, action: 'None' }
  const manager = strategy.serverSideApply?.fieldManager ?? WORK_FIELD_MANAGER
  const warnings = foreignFieldWarnings(current as DynamicObject, applied, manager)
  return { resourceMeta, action: 'Update', before, after, ...(warnings.length > 0 && { warnings }) }
}
