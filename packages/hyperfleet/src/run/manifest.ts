import type { NewManifestWork } from '@orrery/api'
import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { isObject, setOwn } from '@orrery/kinds/values'
import { parse } from 'yaml'
import { AdapterError } from '../adapter-error.js'
import type { ObjectType } from '../objects/object-client.js'
import type { Templates } from '../template/template.js'
import { GENERATION_ANNOTATION } from '../works/apply-work.js'

type Data = Readonly<Record<string, unknown>>

/** The work of a manifest for a consumer. Throws if a part of it has no generation. */
export function renderWork(
  manifest: JsonObject | string,
  consumer: string,
  templates: Templates,
  data: Data,
): NewManifestWork {
  const rendered = renderManifest(manifest, templates, data)
  if (rendered.kind !== 'ManifestWork') {
    const found = typeof rendered.kind === 'string' ? rendered.kind : 'no kind'
    throw new AdapterError('Validation', `manifest.kind is ${found}: Maestro takes a ManifestWork`)
  }
  const metadata = isObject(rendered.metadata) ? rendered.metadata : {}
  const work = { ...rendered, metadata: { ...metadata, namespace: consumer } }
  checkGenerations(work)
  return work as unknown as NewManifestWork
}

/** The object of a manifest for a Kubernetes API. Throws if it is of another type, or has no name or generation. */
export function renderObject(
  manifest: JsonObject | string,
  { apiVersion, kind }: ObjectType,
  templates: Templates,
  data: Data,
): KubeObject {
  const rendered = renderManifest(manifest, templates, data)
  for (const [key, expected] of Object.entries({ apiVersion, kind })) {
    // Discovery would look for another object than the one that is applied.
    if (rendered[key] === expected) continue
    const found = JSON.stringify(rendered[key] ?? null)
    throw new AdapterError(
      'Validation',
      `manifest.${key} is ${found}, and discovery looks for ${expected}: write one ${key}`,
    )
  }
  const metadata = isObject(rendered.metadata) ? rendered.metadata : {}
  if (typeof metadata.name !== 'string' || metadata.name === '') {
    throw new AdapterError('Validation', 'manifest.metadata.name: Required value')
  }
  checkGeneration(rendered, 'manifest.metadata')
  return rendered as unknown as KubeObject
}

function renderManifest(manifest: JsonObject | string, templates: Templates, data: Data): JsonObject {
  const rendered: unknown =
    typeof manifest === 'string' ? parse(templates.render(manifest, data)) : renderTexts(manifest, templates, data)
  if (!isObject(rendered)) throw new AdapterError('Validation', 'the manifest does not contain an object')
  return rendered as JsonObject
}

/** Renders the keys and texts of a value as templates. */
function renderTexts(value: JsonValue, templates: Templates, data: Data): JsonValue {
  if (typeof value === 'string') return templates.render(value, data)
  if (Array.isArray(value)) return value.map((item) => renderTexts(item, templates, data))
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const [key, item] of Object.entries(value)) {
    setOwn(result, templates.render(key, data), renderTexts(item ?? null, templates, data))
  }
  return result
}

/** HyperFleet finds out with it whether a work is of the current generation of its resource. */
function checkGenerations(work: JsonObject): void {
  const spec = isObject(work.spec) ? work.spec : {}
  const workload = isObject(spec.workload) ? spec.workload : {}
  const manifests: readonly unknown[] = Array.isArray(workload.manifests) ? workload.manifests : []
  if (manifests.length === 0) throw new AdapterError('Validation', 'spec.workload.manifests: Required value')
  checkGeneration(work, 'metadata')
  manifests.forEach((manifest, index) => {
    checkGeneration(manifest, `spec.workload.manifests[${index}].metadata`)
  })
}

function checkGeneration(object: unknown, path: string): void {
  const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {}
  const annotations = isObject(metadata.annotations) ? metadata.annotations : {}
  const generation = annotations[GENERATION_ANNOTATION]
  if (typeof generation === 'string' && /^[1-9]\d*$/.test(generation)) return
  const found = generation === undefined ? 'Required value' : `Invalid value: ${JSON.stringify(generation)}`
  throw new AdapterError(
    'Validation',
    `${path}.annotations[${GENERATION_ANNOTATION}]: ${found}: set it to the generation of the resource, a text of 1 or more`,
  )
}
