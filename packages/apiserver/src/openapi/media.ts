import type { Resource } from '../kinds/resource.js'
import type { Operation } from './operations.js'

const JSON_TYPE = 'application/json'
const YAML_TYPE = 'application/yaml'
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf'
const STREAM = ';stream=watch'

const APPLY_PATCH = 'application/apply-patch+yaml'
const JSON_PATCH = 'application/json-patch+json'
const MERGE_PATCH = 'application/merge-patch+json'
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'

/** Media types of an answer. Custom resources have no protobuf form. */
export function answerTypes(operation: Operation, resource: Resource): readonly string[] {
  if (operation.answer === 'text') return ['text/plain']
  const plain = resource.custom ? [JSON_TYPE, YAML_TYPE] : [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE]
  if (operation.action !== 'list') return plain
  return [...plain, `${JSON_TYPE}${STREAM}`, ...(resource.custom ? [] : [`${PROTOBUF_TYPE}${STREAM}`])]
}

/** Media types of a body. Strategic merge patches need what only built-in kinds know. */
export function bodyTypes(operation: Operation, resource: Resource): readonly string[] {
  if (operation.body !== 'patch') return ['*/*']
  const common = [APPLY_PATCH, JSON_PATCH, MERGE_PATCH]
  return resource.custom ? common : [...common, STRATEGIC_PATCH]
}
