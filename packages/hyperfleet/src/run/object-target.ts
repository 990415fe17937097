import { AdapterError } from '../adapter-error.js'
import type { Resource, ResourceTransport } from '../config/task-config.js'
import { type AppliedObject, applyObject } from '../objects/apply-object.js'
import { findObject } from './discovery.js'
import type { RunContext } from './execute.js'
import type { Execution } from './execution.js'
import { renderObject } from './manifest.js'
import type { Target } from './target.js'

const REASONS: Readonly<Record<AppliedObject['operation'], string>> = {
  create: 'the object did not exist',
  update: 'the generation changed',
  recreate: 'the generation changed, and recreate_on_change is true',
  skip: 'the generation is the same',
}

/** The object of a resource at the Kubernetes API. */
export function objectTarget(
  resource: Resource,
  transport: Extract<ResourceTransport, { client: 'kubernetes' }>,
  { params }: Execution,
  { adapter: { templates }, objects, signal, clock }: RunContext,
): Target {
  if (objects === undefined) {
    throw new AdapterError('Configuration', 'transport.client is kubernetes, and there is no client of the API')
  }
  const type = {
    apiVersion: templates.render(transport.apiVersion, params),
    kind: templates.render(transport.kind, params),
  }
  const { recreateOnChange, propagationPolicy } = resource
  return {
    noun: 'object',
    find: () => findObject(resource, type, objects, templates, params, signal),
    async apply() {
      const wanted = renderObject(resource.manifest, type, templates, params)
      const context = { objects, signal, recreateOnChange, ...(clock === undefined ? {} : { clock }) }
      const { object, operation } = await applyObject(wanted, context)
      return { object, operation, reason: REASONS[operation] }
    },
    delete: (object) => objects.delete(object, { propagationPolicy, signal }),
  }
}
