import { WORK_FIELD_MANAGER } from '@orrery/api'
import {
  type CallOptions,
  Discovery,
  isNoMatch,
  isNotFound,
  isObject,
  jsonEqual,
  type KubeClient,
  type KubeObject,
  StatusError,
} from '@orrery/kube'
import { type Comparison, comparable } from './comparable.js'

/** What an object is called by: `Deployment shop/web`. */
interface Planned {
  readonly object: string
}

/** What applying one manifest to a cluster would do. */
export type PlannedChange = Planned &
  (
    | ({ readonly action: 'create' | 'change' } & Comparison)
    /** It needs a namespace or a kind that comes with it, so that the cluster could not be asked. */
    | { readonly action: 'create unchecked'; readonly needs: string; readonly after: Comparison['after'] }
    | { readonly action: 'none' }
    | { readonly action: 'fail'; readonly message: string }
  )

/**
 * What applying manifests to a cluster would do, in their order. The cluster itself is asked, by a dry run of server-side
 * apply with the field manager of its agent. Nothing is changed.
 */
export async function planChanges(
  cluster: KubeClient,
  manifests: readonly KubeObject[],
  call: CallOptions = {},
): Promise<PlannedChange[]> {
  const discovery = new Discovery(cluster)
  const bundled = bundledIn(manifests)
  return Promise.all(manifests.map((manifest) => planChange(cluster, discovery, manifest, bundled, call)))
}

/** What some of the manifests create, and others need. */
interface Bundled {
  readonly namespaces: ReadonlySet<string>
  /** As `group/kind`. */
  readonly kinds: ReadonlySet<string>
}

async function planChange(
  cluster: KubeClient,
  discovery: Discovery,
  manifest: KubeObject,
  bundled: Bundled,
  call: CallOptions,
): Promise<PlannedChange> {
  const { namespace, name = '' } = manifest.metadata
  const object = `${manifest.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`
  try {
    const kind = await discovery.kindOf(manifest, call)
    const before = await cluster.find(kind, { namespace, name }, call)
    const options = { ...call, dryRun: true, force: true, fieldManager: WORK_FIELD_MANAGER }
    const { before: old, after } = comparable(before, await cluster.apply(kind, manifest, options))
    if (old === undefined) return { object, action: 'create', before: undefined, after }
    return jsonEqual(old, after) ? { object, action: 'none' } : { object, action: 'change', before: old, after }
  } catch (error) {
    if (!(error instanceof StatusError) && !isNoMatch(error) && !(error instanceof TypeError)) throw error
    const needs = needsOf(error, manifest, bundled)
    if (needs === undefined) return { object, action: 'fail', message: error.message }
    return { object, action: 'create unchecked', needs, after: comparable(undefined, manifest).after }
  }
}

/** What was missing, if that is why it failed and it comes with the manifests. */
function needsOf(error: unknown, { apiVersion, kind, metadata }: KubeObject, bundled: Bundled): string | undefined {
  const { namespace = '' } = metadata
  if (isNoMatch(error) && bundled.kinds.has(`${apiVersion.split('/')[0]}/${kind}`)) return `kind ${kind}`
  if (!isNotFound(error) || !bundled.namespaces.has(namespace)) return undefined
  return (error as StatusError).status.details?.kind === 'namespaces' ? `namespace ${namespace}` : undefined
}

function bundledIn(manifests: readonly KubeObject[]): Bundled {
  const namespaces = new Set<string>()
  const kinds = new Set<string>()
  for (const { kind, metadata, spec } of manifests) {
    if (kind === 'Namespace') namespaces.add(metadata.name ?? '')
    if (kind === 'CustomResourceDefinition' && isObject(spec) && isObject(spec.names)) {
      kinds.add(`${spec.group}/${spec.names.kind}`)
    }
  }
  return { namespaces, kinds }
}
