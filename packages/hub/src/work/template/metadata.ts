import { type EmbeddedObject, METADATA_TEMPLATE_ANNOTATION } from '@orrery/api'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isObject, TemplateError } from '@orrery/kinds/values'

/** A manifest with the metadata of its annotation merged into its own, and without the annotation. */
export function withMetadataTemplate(manifest: EmbeddedObject): EmbeddedObject {
  const { metadata = {} } = manifest
  const { [METADATA_TEMPLATE_ANNOTATION]: text, ...annotations } = fieldsOf(metadata.annotations)
  if (typeof text !== 'string') return manifest
  const { labels: moreLabels, annotations: moreAnnotations, ...names } = readMetadata(text)
  const { labels: _, annotations: __, ...rest } = metadata
  return {
    ...manifest,
    metadata: {
      ...rest,
      ...names,
      ...unlessEmpty('labels', { ...fieldsOf(metadata.labels), ...moreLabels }),
      ...unlessEmpty('annotations', { ...annotations, ...moreAnnotations }),
    },
  }
}

/** Servers drop empty maps from metadata: manifests that are compared with stored ones must do the same. */
function unlessEmpty(key: string, fields: JsonObject): JsonObject {
  return Object.keys(fields).length === 0 ? {} : { [key]: fields }
}

interface MetadataTemplate {
  readonly name?: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

const READERS: Readonly<Record<keyof MetadataTemplate, (value: JsonValue) => boolean>> = {
  name: isText,
  namespace: isText,
  labels: isTexts,
  annotations: isTexts,
}

function readMetadata(text: string): MetadataTemplate {
  const value = parse(text)
  if (!isObject(value)) throw problem('it is not a JSON object')
  for (const [key, field] of Object.entries(value)) {
    if (!Object.hasOwn(READERS, key)) {
      throw problem(`${JSON.stringify(key)} cannot be set: there are ${Object.keys(READERS).join(', ')}`)
    }
    if (!READERS[key as keyof MetadataTemplate](field)) throw problem(`the value of ${key} is of another type`)
  }
  return value as MetadataTemplate
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw problem((error as Error).message)
  }
}

function problem(what: string): TemplateError {
  return new TemplateError(`the annotation ${METADATA_TEMPLATE_ANNOTATION} cannot be read: ${what}`)
}

function fieldsOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function isText(value: JsonValue): boolean {
  return typeof value === 'string'
}

function isTexts(value: JsonValue): boolean {
  return isObject(value) && Object.values(value).every(isText)
}
