import type { ManifestWork } from '@orrery/api'
import { isNotFound } from '@orrery/kinds/values'
import type { Resource } from '../config/task-config.js'
import { type AppliedWork, applyWork } from '../works/apply-work.js'
import type { Works } from '../works/work-client.js'
import { findNested, findWork } from './discovery.js'
import type { RunContext } from './execute.js'
import type { Execution, ResourceResult, StepError } from './execution.js'
import { renderWork } from './manifest.js'

const OPERATIONS = { created: 'create', updated: 'update', unchanged: 'skip' } as const
const REASONS: Readonly<Record<AppliedWork['operation'], string>> = {
  created: 'the work did not exist',
  updated: 'the generation changed',
  unchanged: 'the generation is the same',
}

/** Applies or deletes resources in order. An apply that fails is the last; deletes continue. */
export async function applyResources(execution: Execution, context: RunContext): Promise<ResourceResult[]> {
  const { resources } = context.adapter.task
  const results: ResourceResult[] = []
  // Expressions of one resource can refer to any other, also to one that follows.
  if (resources.some(({ createWhen, deleteWhen }) => createWhen !== undefined || deleteWhen !== undefined)) {
    for (const resource of resources) {
      try {
        await discover(resource, execution, context)
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

const unknownResult = ({ name }: Resource, operation: ResourceResult['operation']): ResourceResult => ({
  name,
  kind: 'ManifestWork',
  namespace: '',
  resourceName: '',
  status: 'success',
  operation,
  reason: '',
})

const resultOf = (resource: Resource, work: ManifestWork, operation: ResourceResult['operation'], reason: string) => ({
  ...unknownResult(resource, operation),
  namespace: work.metadata.namespace,
  resourceName: work.metadata.name,
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

function consumerOf(resource: Resource, execution: Execution, { adapter }: RunContext): string {
  return adapter.templates.render(resource.targetCluster, execution.params)
}

/** Looks for a resource and makes it and its nested objects available to expressions. */
async function discover(
  resource: Resource,
  execution: Execution,
  context: RunContext,
): Promise<ManifestWork | undefined> {
  if (resource.discovery === undefined) return undefined
  const { templates } = context.adapter
  const works = context.client.manifestWorks(consumerOf(resource, execution, context))
  const work = await findWork(resource, works, templates, execution.params, context.signal)
  for (const { name } of [resource, ...resource.nestedDiscoveries]) delete execution.resources[name]
  if (work === undefined) return undefined
  Object.assign(execution.resources, { [resource.name]: work }, findNested(resource, work, templates, execution.params))
  return work
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
  const consumer = consumerOf(resource, execution, context)
  const work = renderWork(resource.manifest, consumer, context.adapter.templates, execution.params)
  const applied = await applyWork(work, context)
  await discover(resource, execution, context)
  return resultOf(resource, applied.work, OPERATIONS[applied.operation], REASONS[applied.operation])
}

async function remove(resource: Resource, execution: Execution, context: RunContext): Promise<ResourceResult> {
  const work = await discover(resource, execution, context)
  if (work === undefined) return { ...unknownResult(resource, 'delete'), reason: 'the work does not exist' }
  const works = context.client.manifestWorks(work.metadata.namespace)
  if (work.metadata.deletionTimestamp === undefined) await deleted(works, work.metadata.name, context.signal)
  // Gone, or waiting for the agent: expressions see which.
  await discover(resource, execution, context)
  return { ...resultOf(resource, work, 'delete', 'lifecycle.delete.when is true'), discoveredState: work }
}

async function deleted(works: Works, name: string, signal: AbortSignal): Promise<void> {
  try {
    await works.delete(name, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
