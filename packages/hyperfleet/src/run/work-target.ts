import { isNotFound } from '@orrery/kinds/values'
import { AdapterError } from '../adapter-error.js'
import type { Resource, ResourceTransport } from '../config/task-config.js'
import { type AppliedWork, applyWork } from '../works/apply-work.js'
import { findWork } from './discovery.js'
import type { RunContext } from './execute.js'
import type { Execution } from './execution.js'
import { renderWork } from './manifest.js'
import type { Target } from './target.js'

const OPERATIONS = { created: 'create', updated: 'update', unchanged: 'skip' } as const
const REASONS: Readonly<Record<AppliedWork['operation'], string>> = {
  created: 'the work did not exist',
  updated: 'the generation changed',
  unchanged: 'the generation is the same',
}

/** The work of a resource in Maestro. */
export function workTarget(
  resource: Resource,
  { targetCluster }: Extract<ResourceTransport, { client: 'maestro' }>,
  { params }: Execution,
  { adapter: { templates }, client, signal }: RunContext,
): Target {
  if (client === undefined) {
    throw new AdapterError('Configuration', 'transport.client is maestro, and there is no client of Maestro')
  }
  const consumer = templates.render(targetCluster, params)
  const works = client.manifestWorks(consumer)
  return {
    noun: 'work',
    find: () => findWork(resource, works, templates, params, signal),
    async apply() {
      const wanted = renderWork(resource.manifest, consumer, templates, params)
      const { work, operation } = await applyWork(wanted, { client, signal })
      return { object: work, operation: OPERATIONS[operation], reason: REASONS[operation] }
    },
    async delete({ metadata }) {
      try {
        await works.delete(metadata.name, { signal })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    },
  }
}
