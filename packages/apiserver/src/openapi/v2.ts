import type { JsonObject } from '@orrery/kinds'
import type { Resource } from '../kinds/resource.js'
import type { DocumentParts } from './document.js'
import { answerTypes, bodyTypes } from './media.js'
import { kindExtension, tagOf } from './names.js'
import { type ApiPath, type Operation, pathItems } from './operations.js'
import { type Parameter, parameterOf, SHARED_PARAMETERS } from './parameters.js'
import { Payloads, type SchemaSource } from './payloads.js'
import type { DocumentInfo } from './v3.js'

const STATUS_TEXT: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }
const SHARED = new Set(SHARED_PARAMETERS.map(({ name }) => name))

/** Returns the Swagger 2.0 document of the whole server, in parts. */
export function v2Document(resources: readonly Resource[], source: SchemaSource, info: DocumentInfo): DocumentParts {
  const payloads = new Payloads('v2', resources, source)
  return {
    head: {
      swagger: '2.0',
      info: { ...info },
      parameters: Object.fromEntries(SHARED_PARAMETERS.map((shared) => [shared.name, writtenOut(shared)])),
      securityDefinitions: {
        BearerToken: { description: 'A bearer token.', type: 'apiKey', name: 'authorization', in: 'header' },
      },
      security: [{ BearerToken: [] }],
    },
    paths: pathItems(resources, (path) => pathItem(path, payloads)),
    definitions: payloads.definitions,
  }
}

function pathItem(path: ApiPath, payloads: Payloads): JsonObject {
  const item: JsonObject = {}
  for (const operation of path.operations) item[operation.method] = operationItem(operation, path, payloads)
  item.parameters = [...path.parameters, 'pretty'].map((name) => parameter(name))
  return item
}

function operationItem(operation: Operation, path: ApiPath, payloads: Payloads): JsonObject {
  const { resource } = path
  const answer = payloads.schemaOf(operation.answer, path)
  const responses: JsonObject = {}
  for (const code of operation.codes) responses[code] = { description: STATUS_TEXT[code] ?? '', schema: answer }
  const parameters = operation.query.map((name) => parameter(name))
  if (operation.body !== undefined) {
    const schema = payloads.schemaOf(operation.body, path)
    parameters.unshift(
      operation.body === 'deleteOptions'
        ? { name: 'body', in: 'body', schema }
        : { name: 'body', in: 'body', required: true, schema },
    )
  }
  return {
    description: operation.description,
    consumes: [...bodyTypes(operation, resource)],
    produces: [...answerTypes(operation, resource)],
    schemes: ['https'],
    tags: [tagOf(resource.group, resource.version)],
    operationId: operation.id,
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: { ...responses, 401: { description: 'Unauthorized' } },
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': kindExtension(operation.kind),
  }
}

function parameter(name: string): JsonObject {
  return SHARED.has(name) ? { $ref: `#/parameters/${name}` } : writtenOut(parameterOf(name))
}

function writtenOut({ name, type, description }: Parameter): JsonObject {
  const inPath = name === 'name' || name === 'namespace'
  return {
    uniqueItems: true,
    type,
    description,
    name,
    in: inPath ? 'path' : 'query',
    ...(inPath ? { required: true } : {}),
  }
}
