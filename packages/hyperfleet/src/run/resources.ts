import type { ManifestWork } from '@orrery/api'
import type { ApiObject } from '@orrery/kinds'
import { isBeingDeleted } from '@orrery/kube/write'
import type { Resource } from '../config/task-config.js'
import { findNested } from './discovery.js'
import type { RunContext } from './execute.js'
import type { Execution, ResourceResult, StepError } from './execution.js'
import { type Target, targetOf } from './target.js'

/** Applies or deletes resources in order. An apply that fails is the last; deletes continue. */
export async function applyResources(execution: Execution, context: RunContext): Promise<ResourceResult[]> {
  const { resources } = context.adapter.task
  const results: ResourceResult[] = []
  // Expressions of one resource can refer to any other, also to one that follows.
  if (resources.some(({ createWhen, deleteWhen }) => createWhen !== undefined || deleteWhen !== undefined)) {
    for (const resource of resources) {
      try {
        await discover(resource, targetOf(resource, execution, context), execution, context)
      } catch (error) {
        fail(execution, resource, error)
        return results
      }
    }
  }
  for (const resource of resources) {
    let isDelete = false
    try {
      isDelete = decides(resource.deleteWhen, 'lifecycle.delete.when', execution, context)
      results.push(isDelete ? await remove(resource, execution, context) : await apply(resource, execution, context))
    } catch (error) {
      const operation = isDelete ? 'delete' : 'update'
      results.push({
        ...unknownResult(resource, operation),
        status: 'failed',
        error: fail(execution, resource, error).message,
      })
      if (!isDelete) break
    }
  }
  return results
}

function fail(execution: Execution, { name }: Resource, error: unknown): StepError {
  const failure: StepError = { phase: 'resources', step: name, message: (error as Error).message }
  execution.resourceErrors[name] = failure
  execution.fail('ResourceFailed', failure)
  return failure
}

const unknownResult = ({ name, transport }: Resource, operation: ResourceResult['operation']): ResourceResult => ({
  name,
  kind: transport.client === 'maestro' ? 'ManifestWork' : transport.kind,
  namespace: '',
  resourceName: '',
  status: 'success',
  operation,
  reason: '',
})

const resultOf = (
  resource: Resource,
  { kind, metadata }: ApiObject,
  operation: ResourceResult['operation'],
  reason: string,
): ResourceResult => ({
  ...unknownResult(resource, operation),
  // Maestro may leave it out.
  ...(resource.transport.client === 'kubernetes' ? { kind } : {}),
  namespace: metadata.namespace ?? '',
  resourceName: metadata.name,
  reason,
})

/** Whether an expression is true. Data that is missing is an error here: a guess could delete an object. */
function decides(
  expression: string | undefined,
  field: string,
  execution: Execution,
  { adapter }: RunContext,
): boolean {
  if (expression === undefined) return false
  const result = adapter.expressions.evaluate(expression, execution.variables)
  if (!result.ok) throw new Error(`${field}: ${result.message}`)
  return result.matched
}

/** Looks for a resource and makes it and its nested objects available to expressions. */
async function discover(
  resource: Resource,
  target: Target,
  execution: Execution,
  { adapter: { templates } }: RunContext,
): Promise<ApiObject | undefined> {
  if (resource.discovery === undefined) return undefined
  const object = await target.find()
  for (const { name } of [resource, ...resource.nestedDiscoveries]) delete execution.resources[name]
  if (object === undefined) return undefined
  const nested = findNested(resource, object as ManifestWork, templates, execution.params)
  Object.assign(execution.resources, { [resource.name]: object }, nested)
  return object
}

async function apply(resource: Resource, execution: Execution, context: RunContext): Promise<ResourceResult> {
  const exists = execution.resources[resource.name] !== undefined
  if (resource.createWhen !== undefined && !exists) {
    if (!decides(resource.createWhen, 'lifecycle.create.when', execution, context)) {
      const reason = 'lifecycle.create.when is false'
      execution.skipReason ??= `${resource.name}: ${reason}`
      return { ...unknownResult(resource, 'skip'), status: 'skipped', reason }
    }
  }
  const target = targetOf(resource, execution, context)
  const { object, operation, reason } = await target.apply()
  await discover(resource, target, execution, context)
  return resultOf(resource, object, operation, reason)
}

async function remove(resource: Resource, execution: Execution, context: RunContext): Promise<ResourceResult> {
  const target = targetOf(resource, execution, context)
  const object = await discover(resource, target, execution, context)
  if (object === undefined) {
    return { ...unknownResult(resource, 'delete'), reason: `the ${target.noun} does not exist` }
  }
  if (!isBeingDeleted(object)) await target.delete(object)
  // Gone, or waiting for the agent or for finalizers: expressions see which.
  await discover(resource, target, execution, context)
  const result = resultOf(resource, object, 'delete', 'lifecycle.delete.when is true')
  return { ...result, discoveredState: withoutSecrets(object) }
}

/** Results are printed and logged. */
function withoutSecrets(object: ApiObject): unknown {
  const { data: _, stringData: __, ...shown } = object as ApiObject & { data?: unknown; stringData?: unknown }
  return object.kind === 'Secret' ? shown : object
}
