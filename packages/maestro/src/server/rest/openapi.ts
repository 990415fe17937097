import { BUNDLES_PATH, CONSUMERS_PATH, ERRORS_PATH } from './paths.js'

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const parameter = (name: string) => ({ $ref: `#/components/parameters/${name}` })
const json = (name: string) => ({ 'application/json': { schema: reference(name) } })
const text = { type: 'string' }
const time = { type: 'string', format: 'date-time' }
const integer = { type: 'integer', format: 'int32' }
const labels = { type: 'object', additionalProperties: text }
const objects = { type: 'array', items: { type: 'object' } }

const PROBLEMS: Readonly<Record<string, string>> = {
  '400': 'The request is not valid',
  '401': 'The credentials are missing or not valid',
  '403': 'The caller may not do this',
  '404': 'There is nothing with this id',
  '409': 'The name is in use',
  '500': 'The server has failed',
  '503': 'The database cannot be reached: retry',
}

const LIST = ['page', 'size', 'search', 'orderBy', 'fields'].map(parameter)
const BY_ID = [parameter('id')]

/** An operation with the problems that every operation can have, and those of its own. */
function operation(summary: string, success: Readonly<Record<string, object>>, problems: string[], more: object = {}) {
  const codes = ['401', '403', '500', '503', ...problems].sort()
  const failures = codes.map((code) => [code, { description: PROBLEMS[code], content: json('Error') }])
  return {
    summary,
    security: [{ Bearer: [] }, {}],
    ...more,
    responses: { ...success, ...Object.fromEntries(failures) },
  }
}

const ok = (name: string, description: string) => ({ '200': { description, content: json(name) } })
const body = (name: string) => ({ requestBody: { required: true, content: json(name) } })

function listSchema(item: string) {
  return {
    type: 'object',
    required: ['kind', 'page', 'size', 'total', 'items'],
    properties: {
      kind: text,
      page: integer,
      size: integer,
      total: integer,
      items: { type: 'array', items: reference(item) },
    },
  }
}

function objectSchema(properties: object) {
  return { type: 'object', properties: { id: text, kind: text, href: text, ...properties } }
}

const PATHS = {
  [BUNDLES_PATH]: {
    get: operation('List resource bundles', ok('ResourceBundleList', 'A page of resource bundles'), ['400'], {
      parameters: LIST,
    }),
  },
  [`${BUNDLES_PATH}/{id}`]: {
    parameters: BY_ID,
    get: operation('Get a resource bundle', ok('ResourceBundle', 'The resource bundle'), ['404']),
    delete: operation('Delete a resource bundle', { '204': { description: 'Deleting, deleted or unknown' } }, []),
  },
  [CONSUMERS_PATH]: {
    get: operation('List consumers', ok('ConsumerList', 'A page of consumers'), ['400'], { parameters: LIST }),
    post: operation(
      'Create a consumer',
      { '201': { description: 'The consumer', content: json('Consumer') } },
      ['400', '409'],
      body('Consumer'),
    ),
  },
  [`${CONSUMERS_PATH}/{id}`]: {
    parameters: BY_ID,
    get: operation('Get a consumer', ok('Consumer', 'The consumer'), ['404']),
    patch: operation(
      'Replace the labels of a consumer',
      ok('Consumer', 'The consumer'),
      ['400', '404'],
      body('ConsumerPatchRequest'),
    ),
    delete: operation(
      'Delete a consumer that has no resource bundles',
      { '204': { description: 'Deleted or unknown' } },
      ['400'],
      { parameters: [parameter('force')] },
    ),
  },
  [ERRORS_PATH]: { get: operation('List the errors of the API', ok('ErrorList', 'A page of errors'), []) },
  [`${ERRORS_PATH}/{id}`]: {
    parameters: BY_ID,
    get: operation('Get an error of the API', ok('Error', 'The error'), ['404']),
  },
}

const SCHEMAS = {
  Error: objectSchema({ code: text, reason: text, operation_id: text }),
  ErrorList: listSchema('Error'),
  Consumer: objectSchema({ name: text, labels, created_at: time, updated_at: time }),
  ConsumerList: listSchema('Consumer'),
  ConsumerPatchRequest: { type: 'object', properties: { labels } },
  ResourceBundle: objectSchema({
    name: text,
    consumer_name: text,
    version: integer,
    created_at: time,
    updated_at: time,
    deleted_at: time,
    metadata: { type: 'object' },
    manifests: objects,
    delete_option: { type: 'object' },
    manifest_configs: objects,
    status: { type: 'object' },
  }),
  ResourceBundleList: listSchema('ResourceBundle'),
}

function query(name: string, description: string, schema: object) {
  return { name, in: 'query', description, required: false, schema }
}

const PARAMETERS = {
  id: { name: 'id', in: 'path', description: 'The id, not the name', required: true, schema: text },
  page: query('page', 'The page, from 1', { type: 'integer', default: 1 }),
  size: query('size', 'The number of items on a page, at most 65500', { type: 'integer', default: 100 }),
  search: query(
    'search',
    "A condition like one of SQL, such as `consumer_name = 'c1' and version > 1`, or on JSON values, such as " +
      `\`payload->'metadata'->'labels'@>'{"app":"web"}'\``,
    text,
  ),
  orderBy: query(
    'orderBy',
    'Columns with `asc` or `desc`, separated by commas. Rows that are equal have the order of their ids',
    text,
  ),
  force: query(
    'force',
    'Also deletes the resource bundles of the consumer, without waiting for its agent, if its cluster is gone. Needs the ' +
      'permission to delete all resource bundles',
    { type: 'boolean', default: false },
  ),
  fields: query('fields', 'The members to return, separated by commas, such as `id,metadata.name,status.*`', text),
}

/** The OpenAPI document of the REST API. */
export const OPENAPI = Buffer.from(
  JSON.stringify({
    openapi: '3.0.0',
    info: { title: 'Maestro API', description: 'Consumers and resource bundles', version: 'v1' },
    paths: PATHS,
    components: {
      securitySchemes: { Bearer: { type: 'http', scheme: 'bearer' } },
      schemas: SCHEMAS,
      parameters: PARAMETERS,
    },
  }),
)
