import type { ApiObject } from '@orrery/kinds'
import type { Resource } from '../config/task-config.js'
import type { RunContext } from './execute.js'
import type { Execution, ResourceResult } from './execution.js'
import { objectTarget } from './object-target.js'
import { workTarget } from './work-target.js'

/** The place of one resource: a work in Maestro, or an object of a Kubernetes API. */
export interface Target {
  /** What messages call the object. */
  readonly noun: 'work' | 'object'
  /** The object that the discovery of the resource selects. */
  find(): Promise<ApiObject | undefined>
  apply(): Promise<{
    readonly object: ApiObject
    readonly operation: ResourceResult['operation']
    readonly reason: string
  }>
  /** Does nothing if the object does not exist. */
  delete(object: ApiObject): Promise<void>
}

/** The target of a resource for one event. Throws if a template of it has no value. */
export function targetOf(resource: Resource, execution: Execution, context: RunContext): Target {
  const { transport } = resource
  return transport.client === 'maestro'
    ? workTarget(resource, transport, execution, context)
    : objectTarget(resource, transport, execution, context)
}
