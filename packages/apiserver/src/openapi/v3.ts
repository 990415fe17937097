import type { JsonObject } from '@orrery/kinds'
import type { Resource } from '../kinds/resource.js'
import type { DocumentParts } from './document.js'
import { answerTypes, bodyTypes } from './media.js'
import { kindExtension, tagOf } from './names.js'
import { type ApiPath, type Operation, pathItems } from './operations.js'
import { parameterOf } from './parameters.js'
import { Payloads, type SchemaSource } from './payloads.js'

const STATUS_TEXT: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

export interface DocumentInfo {
  readonly title: string
  readonly version: string
}

/** Returns the OpenAPI v3 document of one group version, in parts. Its definitions are `components.schemas`. */
export function v3Document(resources: readonly Resource[], source: SchemaSource, info: DocumentInfo): DocumentParts {
  const payloads = new Payloads('v3', resources, source)
  return {
    head: { openapi: '3.0.0', info: { ...info } },
    paths: pathItems(resources, (path) => pathItem(path, payloads)),
    definitions: payloads.definitions,
  }
}

/** What precedes the definitions in the JSON of a v3 document, and what follows them. */
export const V3_COMPONENTS = {
  open: `"components":{"securitySchemes":${JSON.stringify({
    BearerToken: { type: 'apiKey', description: 'A bearer token.', name: 'authorization', in: 'header' },
  })},"schemas":{`,
  close: '}}',
}

function pathItem(path: ApiPath, payloads: Payloads): JsonObject {
  const item: JsonObject = {}
  for (const operation of path.operations) item[operation.method] = operationItem(operation, path, payloads)
  item.parameters = [...path.parameters.map((name) => parameter(name, 'path')), parameter('pretty', 'query')]
  return item
}

function operationItem(operation: Operation, path: ApiPath, payloads: Payloads): JsonObject {
  const { group, version } = path.resource
  const item: JsonObject = {
    tags: [tagOf(group, version)],
    description: operation.description,
    operationId: operation.id,
  }
  if (operation.query.length > 0) item.parameters = operation.query.map((name) => parameter(name, 'query'))
  if (operation.body !== undefined) {
    const schema = payloads.schemaOf(operation.body, path)
    item.requestBody = { content: content(bodyTypes(operation, path.resource), schema) }
    if (operation.body !== 'deleteOptions') item.requestBody.required = true
  }
  const answer = payloads.schemaOf(operation.answer, path)
  const types = answerTypes(operation, path.resource)
  const responses: JsonObject = {}
  for (const code of operation.codes) {
    responses[code] = { description: STATUS_TEXT[code] ?? '', content: content(types, answer) }
  }
  item.responses = { ...responses, 401: { description: 'Unauthorized' } }
  item['x-kubernetes-action'] = operation.action
  item['x-kubernetes-group-version-kind'] = kindExtension(operation.kind)
  return item
}

function content(types: readonly string[], schema: JsonObject): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema }]))
}

function parameter(name: string, place: 'path' | 'query'): JsonObject {
  const { type, description } = parameterOf(name)
  const entry: JsonObject = { name, in: place, description }
  if (place === 'path') entry.required = true
  entry.schema = { type, uniqueItems: true }
  return entry
}
