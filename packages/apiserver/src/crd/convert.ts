import { randomUUID } from 'node:crypto'
import type { KubeObject } from '@orrery/kinds'
import { failure, formatGroupVersion, type StatusError } from '@orrery/kinds/values'
import { type ConversionFailure, checkConverted, restoreMetadata } from './converted.js'
import { type ConversionReview, readReview, reviewOf } from './review.js'
import { type Crd, versionOf } from './types.js'

/** Converts one object to another version of its kind. It may modify and return the given object. */
export type InProcessConverter = (object: KubeObject, toApiVersion: string) => KubeObject

/** Performs conversions that change more than `apiVersion`. */
export interface ConversionBackend {
  /** Sends a review to the conversion webhook of a definition and returns the parsed response. Throws if that fails. */
  callWebhook(crd: Crd, review: ConversionReview): Promise<unknown>
  /** Converters of the embedding program, by definition name. They take precedence over the definition. */
  readonly inProcess?: ReadonlyMap<string, InProcessConverter>
}

/**
 * Converts objects of a definition to one of its versions. Objects of that version are returned unchanged; the others
 * are new objects, or the given ones with another `apiVersion`. Throws a 500 `StatusError`.
 */
export async function convertObjects(
  crd: Crd,
  objects: readonly KubeObject[],
  toVersion: string,
  backend: ConversionBackend,
): Promise<KubeObject[]> {
  const toApiVersion = formatGroupVersion(crd.spec.group, toVersion)
  checkVersions(crd, objects, toVersion)
  const inProcess = backend.inProcess?.get(crd.metadata.name ?? '')
  if (inProcess) return objects.map((object) => convertInProcess(object, toApiVersion, inProcess))
  if (crd.spec.conversion?.strategy !== 'Webhook') return objects.map((object) => relabel(object, toApiVersion))
  const pending = objects.filter((object) => object.apiVersion !== toApiVersion)
  if (pending.length === 0) return [...objects]
  const converted = await convertByWebhook(crd, pending, toApiVersion, backend)
  let next = 0
  return objects.map((object) => (object.apiVersion === toApiVersion ? object : (converted[next++] as KubeObject)))
}

/** Returns whether objects of different versions differ in more than their `apiVersion`. */
export function needsConverter(crd: Crd, backend: ConversionBackend): boolean {
  return crd.spec.conversion?.strategy === 'Webhook' || backend.inProcess?.has(crd.metadata.name ?? '') === true
}

function checkVersions(crd: Crd, objects: readonly KubeObject[], toVersion: string): void {
  const known = new Set(crd.spec.versions.map(({ name }) => formatGroupVersion(crd.spec.group, name)))
  if (!versionOf(crd, toVersion)) {
    const wanted = formatGroupVersion(crd.spec.group, toVersion)
    throw conversionError(`request to convert CR to an invalid group/version: ${wanted}`)
  }
  for (const { apiVersion } of objects) {
    if (known.has(apiVersion)) continue
    throw conversionError(`request to convert CR from an invalid group/version: ${apiVersion}`)
  }
}

function relabel(object: KubeObject, apiVersion: string): KubeObject {
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion }
}

function convertInProcess(object: KubeObject, toApiVersion: string, convert: InProcessConverter): KubeObject {
  if (object.apiVersion === toApiVersion) return object
  const converted = convert(structuredClone(object), toApiVersion)
  return accepted(object, converted, toApiVersion, 0)
}

async function convertByWebhook(
  crd: Crd,
  objects: readonly KubeObject[],
  toApiVersion: string,
  backend: ConversionBackend,
): Promise<KubeObject[]> {
  const name = webhookName(objects[0] as KubeObject)
  const uid = randomUUID()
  const versions = crd.spec.conversion?.webhook?.conversionReviewVersions ?? []
  const review = reviewOf(versions, objects, toApiVersion, uid)
  if (!review) throw conversionError('no supported conversion review versions')
  let converted: readonly unknown[]
  try {
    converted = readReview(await backend.callWebhook(crd, review), review.apiVersion, uid)
  } catch (error) {
    throw conversionError(`${name} failed: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (converted.length !== objects.length) {
    throw conversionError(`${name} returned ${converted.length} objects, expected ${objects.length}`)
  }
  return objects.map((object, index) => accepted(object, converted[index], toApiVersion, index))
}

/** Returns the result of a converter after checking that it is the same object in another version. */
function accepted(original: KubeObject, converted: unknown, toApiVersion: string, index: number): KubeObject {
  const problem: ConversionFailure | undefined = checkConverted(original, converted, toApiVersion)
  const name = webhookName(original)
  if (problem) throw conversionError(`${name} returned invalid ${problem.what} at index ${index}: ${problem.why}`)
  const object = converted as KubeObject
  const invalid = restoreMetadata(original, object)
  if (invalid) throw conversionError(`${name} returned invalid metadata in object at index ${index}: ${invalid}`)
  return object
}

function webhookName(object: KubeObject): string {
  return `conversion webhook for ${object.apiVersion}, Kind=${object.kind}`
}

function conversionError(message: string): StatusError {
  return failure(500, '', message)
}
