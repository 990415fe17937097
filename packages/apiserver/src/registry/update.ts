import type { KubeObject } from '@orrery/kinds'
import { conflict, notFound } from '@orrery/kinds/values'
import type { WriteContext } from './context.js'
import { create } from './create.js'
import { modify } from './modify.js'
import type { Registry } from './registry.js'
import type { WriteResult } from './write-result.js'

/** PUT: replaces the whole object, or creates it if the kind allows that (REST storage: Update). */
export async function update(registry: Registry, context: WriteContext, input: KubeObject): Promise<WriteResult> {
  const { logic } = context
  const exists = registry.store.head(logic.resource.storage.bucket, context.namespace, context.name) !== undefined
  if (!exists && context.subresource === '') {
    const on = { group: logic.resource.group, resource: logic.resource.plural }
    if (!logic.traits.allowCreateOnUpdate) throw notFound(on, context.name)
    if ((input.metadata.uid ?? '') !== '') {
      const why = `Precondition failed: UID in precondition: ${input.metadata.uid}, UID in object meta: `
      throw conflict(on, context.name, why)
    }
    await context.requireAccess('create')
    delete input.metadata.resourceVersion
    return create(registry, context, input)
  }
  return modify(registry, context, { change: () => input, options: 'UpdateOptions' })
}
