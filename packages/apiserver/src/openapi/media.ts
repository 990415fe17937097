import { PATCH_TYPES } from '@orrery/kinds/values'
import type { Resource } from '../kinds/resource.js'
import type { Operation } from './operations.js'

const JSON_TYPE = 'application/json'
const YAML_TYPE = 'application/yaml'
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf'
const STREAM = ';stream=watch'

/** Returns the media types of a response. Custom resources have no protobuf form. */
export function answerTypes(operation: Operation, resource: Resource): readonly string[] {
  if (operation.answer === 'text') return ['text/plain']
  const plain = resource.custom ? [JSON_TYPE, YAML_TYPE] : [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE]
  if (operation.action !== 'list') return plain
  return [...plain, `${JSON_TYPE}${STREAM}`, ...(resource.custom ? [] : [`${PROTOBUF_TYPE}${STREAM}`])]
}

/** Returns the media types of a body. Strategic merge patches are supported only for built-in kinds. */
export function bodyTypes(operation: Operation, resource: Resource): readonly string[] {
  if (operation.body !== 'patch') return ['*/*']
  const { apply, json, merge, strategic } = PATCH_TYPES
  return resource.custom ? [apply, json, merge] : [apply, json, merge, strategic]
}
