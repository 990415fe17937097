import {
  ADDON_NAME_LABEL,
  CONFIG_SPEC_HASH_ANNOTATION,
  type ManagedClusterAddOn,
  ManifestWork,
  type NewManifestWork,
} from '@orrery/api'
import { keyOf } from '@orrery/kinds/values'
import { ensure, isBeingDeleted, type ReconcileContext } from '@orrery/kube'
import type { Manifest, NewManifestConfig } from '../agent-addon.js'
import { addonOfWork, sortedOut } from './addon-works.js'
import type { Deployment } from './applied-condition.js'
import { deleteWorks } from './delete-works.js'
import { hookConfigs } from './hook-work.js'
import { divide, type PlacedWork } from './placement.js'
import { textOf } from './render.js'
import type { Side } from './side.js'
import type { UpdateLimit } from './update-limit.js'
import { workChanges } from './work-changes.js'
import { deployDrafts, workDraft } from './work-draft.js'

/** What to deploy to one cluster. */
export interface Wanted {
  readonly addon: ManagedClusterAddOn
  readonly manifests: readonly Manifest[]
  readonly manifestConfigs: readonly NewManifestConfig[]
}

/** A deployment, with the error that has to be retried, or the time after which the rest is written. */
type Attempt = Deployment & { readonly error?: unknown; readonly retryAfterMilliseconds?: number }

/** How to write works. */
export interface Writing extends Pick<ReconcileContext, 'client' | 'signal'> {
  readonly limit: UpdateLimit
}

/** Brings the works of an add-on for one cluster to the state that its manifests need. */
export async function deployTo(side: Side, wanted: Wanted, writing: Writing): Promise<Attempt> {
  const { addon, manifests, manifestConfigs } = wanted
  let placed: Placed
  try {
    placed = await placedIn(side, addon, manifests, writing)
  } catch (error) {
    return { problem: `failed to build manifestwork: ${textOf(error)}`, error }
  }
  const { current, works } = placed
  const drafts = deployDrafts({ addon, namespace: side.namespace, manifestConfigs }, works)
  const { write, remove } = workChanges(current, drafts)
  const known = new Map(current.map((work) => [work.metadata.name, work]))
  const worksNow = () => works.flatMap(({ name }) => known.get(name) ?? [])
  const key = keyOf(addon.metadata)
  try {
    for (const draft of write) {
      const before = known.get(draft.metadata.name ?? '')
      const wait = before === undefined ? 0 : writing.limit.wait(key)
      if (wait > 0) return { works: worksNow(), retryAfterMilliseconds: wait }
      const written = await writeWork(draft, before, writing)
      if (before !== undefined && before.metadata.generation !== written.metadata.generation) writing.limit.count(key)
      known.set(written.metadata.name, written)
    }
    await deleteWorks(writing.client, remove, writing.signal)
  } catch (error) {
    return { problem: `failed to apply manifestWork: ${textOf(error)}`, error }
  }
  return { works: worksNow() }
}

/** Writes the work with the hooks for one cluster. */
export function writeHookWork(
  side: Side,
  addon: ManagedClusterAddOn,
  hooks: readonly Manifest[],
  writing: Writing,
): Promise<ManifestWork> {
  const template = { addon, namespace: side.namespace, manifestConfigs: hookConfigs(hooks) }
  return writeWork(workDraft(template, { name: side.hookName, manifests: hooks }), side.hookWork, writing)
}

interface Placed {
  readonly current: readonly ManifestWork[]
  readonly works: readonly PlacedWork[]
}

async function placedIn(
  side: Side,
  addon: ManagedClusterAddOn,
  manifests: readonly Manifest[],
  writing: Writing,
): Promise<Placed> {
  const { works, hasNew } = divide(side.prefix, manifests, side.works)
  if (!hasNew || works.length < 2) return { current: side.works, works }
  // Informers lag behind: manifests of a work that is not there yet would be put into another one as well.
  const current = await readWorks(side, addon, writing)
  return { current, works: divide(side.prefix, manifests, current).works }
}

async function readWorks(
  side: Side,
  addon: ManagedClusterAddOn,
  { client, signal }: Writing,
): Promise<readonly ManifestWork[]> {
  const { namespace, part } = side
  const labelSelector = `${ADDON_NAME_LABEL}=${addon.metadata.name}`
  const { items } = await client.list(ManifestWork, { namespace, labelSelector, signal })
  const own = items.filter((work) => keyOf(addonOfWork(work) ?? { name: '' }) === keyOf(addon.metadata))
  return sortedOut(own, addon.metadata.name)[part === 'managed' ? 'deploy' : 'hosting']
}

/** A work that is being deleted is written when it is gone. */
async function writeWork(
  draft: NewManifestWork,
  current: ManifestWork | undefined,
  writing: Writing,
): Promise<ManifestWork> {
  if (current !== undefined && isBeingDeleted(current)) return current
  // `ensure` does not compare annotations that are no longer wanted.
  const hasOldHash = hashOf(current) !== undefined && hashOf(draft) === undefined
  return ensure(writing.client, ManifestWork, draft, hasOldHash ? undefined : current, { signal: writing.signal })
}

function hashOf(work: Pick<NewManifestWork, 'metadata'> | undefined): string | undefined {
  return work?.metadata.annotations?.[CONFIG_SPEC_HASH_ANNOTATION]
}
