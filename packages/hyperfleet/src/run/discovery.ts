import type { ManifestWork } from '@orrery/api'
import type { ApiObject, JsonObject } from '@orrery/kinds'
import { isNotFound, isObject } from '@orrery/kinds/values'
import type { Discovery, Resource } from '../config/task-config.js'
import type { ObjectClient, ObjectType } from '../objects/object-client.js'
import type { Templates } from '../template/template.js'
import { GENERATION_ANNOTATION } from '../works/apply-work.js'
import type { Works } from '../works/work-client.js'

/** A discovery whose templates have been rendered. */
interface Rendered {
  readonly namespace: string
  readonly name: string | undefined
  readonly labels: Readonly<Record<string, string>>
}

function rendered(discovery: Discovery, templates: Templates, data: Readonly<Record<string, unknown>>): Rendered {
  const text = (template: string) => templates.render(template, data)
  return {
    namespace: text(discovery.namespace ?? ''),
    name: discovery.byName === undefined ? undefined : text(discovery.byName),
    labels: Object.fromEntries(
      Object.entries(discovery.labelSelector ?? {}).map(([key, value]) => [text(key), text(value)]),
    ),
  }
}

/** Finds the work of a resource: by name, or the newest generation with some labels. */
export async function findWork(
  { discovery }: Resource,
  works: Works,
  templates: Templates,
  data: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ManifestWork | undefined> {
  if (discovery === undefined) return undefined
  const { name, labels } = rendered(discovery, templates, data)
  if (name === undefined) {
    const { items } = await works.list({ signal })
    return newest(items.filter((work) => hasLabels(work.metadata.labels, labels)))
  }
  try {
    return await works.get(name, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Finds the object of a resource: by name, or the newest generation with some labels. */
export async function findObject(
  { discovery }: Resource,
  type: ObjectType,
  objects: ObjectClient,
  templates: Templates,
  data: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ApiObject | undefined> {
  if (discovery === undefined) return undefined
  const { namespace, name, labels } = rendered(discovery, templates, data)
  if (name !== undefined && namespace !== '*') return objects.find(type, { name, namespace }, { signal })
  const selection = {
    labels,
    ...(namespace === '' || namespace === '*' ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  }
  return newest(await objects.list(type, selection, { signal }))
}

function newest<T extends ApiObject>(objects: readonly T[]): T | undefined {
  const generation = ({ metadata }: T) => Number(metadata.annotations?.[GENERATION_ANNOTATION] ?? 0)
  return objects.toSorted((a, b) => generation(b) - generation(a) || (a.metadata.name < b.metadata.name ? -1 : 1))[0]
}

/** The objects of a work that nested discoveries find, each with its `statusFeedback` and `conditions`. */
export function findNested(
  resource: Resource,
  work: ManifestWork,
  templates: Templates,
  data: Readonly<Record<string, unknown>>,
): Record<string, JsonObject> {
  const manifests = (work.spec?.workload?.manifests ?? []) as readonly unknown[]
  const found: Record<string, JsonObject> = {}
  for (const { name, discovery } of resource.nestedDiscoveries) {
    const wanted = rendered(discovery, templates, data)
    const manifest = manifests.find((one): one is JsonObject => isObject(one) && matches(one, wanted))
    if (manifest !== undefined) found[name] = withStatus(manifest, work)
  }
  return found
}

function matches(manifest: JsonObject, { namespace, name, labels }: Rendered): boolean {
  const metadata = isObject(manifest.metadata) ? manifest.metadata : {}
  if (namespace !== '' && namespace !== '*' && metadata.namespace !== namespace) return false
  if (name !== undefined) return metadata.name === name
  return hasLabels(isObject(metadata.labels) ? (metadata.labels as Record<string, string>) : {}, labels)
}

function hasLabels(
  labels: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([key, value]) => labels?.[key] === value)
}

function withStatus(manifest: JsonObject, work: ManifestWork): JsonObject {
  const metadata = isObject(manifest.metadata) ? manifest.metadata : {}
  const status = work.status?.resourceStatus?.manifests?.find(
    ({ resourceMeta }) =>
      resourceMeta.name === metadata.name &&
      (resourceMeta.namespace ?? '') === (metadata.namespace ?? '') &&
      (resourceMeta.kind ?? manifest.kind) === manifest.kind,
  )
  if (status === undefined) return manifest
  const { statusFeedback, conditions } = status
  return {
    ...manifest,
    ...(statusFeedback === undefined ? {} : { statusFeedback }),
    conditions,
  } as unknown as JsonObject
}
