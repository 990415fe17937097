import { Placement } from '@orrery/api'
import { formatFieldError, isObject } from '@orrery/kinds/values'

/** An object that is not a valid Placement. The message names the field. */
export class InvalidPlacement extends Error {}

export interface ParsePlacementOptions {
  /** The metadata of a placement without namespace or name. */
  readonly namespace: string
  readonly name: string
  /** Whether unknown fields are errors. Default `Ignore`. */
  readonly fieldValidation?: 'Ignore' | 'Strict'
}

/**
 * A Placement that does not exist yet, with the defaults of the API server. The kind, the name and the spec can be left out.
 * Throws `InvalidPlacement`.
 */
export function parsePlacement(
  value: unknown,
  { fieldValidation = 'Ignore', ...defaults }: ParsePlacementOptions,
): Placement {
  if (!isObject(value)) throw new InvalidPlacement('not an object')
  const apiVersion = `${Placement.group}/${Placement.version}`
  const { kind = Placement.kind, apiVersion: version = apiVersion, metadata = {}, spec = {} } = value
  if (kind !== Placement.kind || version !== apiVersion) {
    throw new InvalidPlacement(`not a ${Placement.kind} of ${apiVersion}: kind ${kind} of ${version}`)
  }
  if (!isObject(metadata)) throw new InvalidPlacement('metadata: not an object')
  const { namespace = defaults.namespace, name = defaults.name } = metadata
  if (typeof namespace !== 'string') throw new InvalidPlacement('metadata.namespace: not a string')
  if (typeof name !== 'string') throw new InvalidPlacement('metadata.name: not a string')
  const unknown = fieldValidation === 'Strict' ? Placement.unknownFields(value) : []
  if (unknown.length > 0) {
    throw new InvalidPlacement(unknown.map((path) => `unknown field ${JSON.stringify(path)}`).join(', '))
  }
  const draft = { apiVersion, kind: Placement.kind, metadata: { ...metadata, namespace, name }, spec: spec as object }
  const [problem] = Placement.validate(draft)
  if (problem !== undefined) throw new InvalidPlacement(formatFieldError(problem))
  return Placement.complete(draft) as Placement
}
