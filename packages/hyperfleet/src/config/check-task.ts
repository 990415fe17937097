import { type FieldError, fieldInvalid, indexPath, isObject } from '@orrery/kinds/values'
import type { Expressions } from '../expressions/expressions.js'
import type { Templates } from '../template/template.js'
import { throwErrors } from './reader.js'
import type { ApiCall, TaskConfig } from './task-config.js'

/** Names that every expression and template has. */
const GIVEN = ['adapter', 'config', 'env', 'event']

/** Objects that exist. Only expressions see them. */
const RESOURCES = 'resources'

/** The names that an expression or a template of a task can refer to. */
export function variablesOf(task: TaskConfig): string[] {
  const { params, preconditions, payloads } = task
  const named = [...params, ...preconditions, ...preconditions.flatMap(({ capture }) => capture), ...payloads]
  return [...new Set([...GIVEN, RESOURCES, ...named.map(({ name }) => name)])]
}

/** Compiles every expression and template of a task, so that a mistake is reported at the start, not by an event. */
export function checkTask(
  task: TaskConfig,
  file: string,
  languages: { expressions: Expressions; templates: Templates },
): void {
  const errors: FieldError[] = []
  const names = variablesOf(task).filter((name) => name !== RESOURCES)
  const attempt = (field: string, source: string | undefined, check: (source: string) => void) => {
    if (source === undefined) return
    try {
      check(source)
    } catch (error) {
      errors.push(fieldInvalid(field, source, (error as Error).message))
    }
  }
  const expression = (field: string, source: string | undefined) =>
    attempt(field, source, (text) => languages.expressions.check(text))
  const template = (field: string, source: string | undefined) =>
    attempt(field, source, (text) => languages.templates.check(text, names))
  const call = (field: string, { url, body, headers }: ApiCall) => {
    template(`${field}.url`, url)
    template(`${field}.body`, body)
    headers.forEach(({ value }, index) => {
      template(`${indexPath(`${field}.headers`, index)}.value`, value)
    })
  }
  const texts = (field: string, value: unknown): void => {
    if (typeof value === 'string') template(field, value)
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) texts(indexPath(field, index), item)
    } else if (isObject(value)) {
      if (typeof value.expression === 'string') expression(`${field}.expression`, value.expression)
      else for (const [key, item] of Object.entries(value)) texts(`${field}.${key}`, item)
    }
  }

  task.params.forEach(({ source }, index) => {
    const field = `${indexPath('params', index)}.source`
    if (source.type === 'expression') expression(`${field}.expression`, source.expression)
    if (source.type === 'apiCall') call(`${field}.api_call`, source.call)
  })
  task.preconditions.forEach((precondition, index) => {
    const field = indexPath('preconditions', index)
    expression(`${field}.expression`, precondition.expression)
    if (precondition.apiCall !== undefined) call(`${field}.api_call`, precondition.apiCall)
    template(`${field}.log.message`, precondition.log?.message)
  })
  task.resources.forEach((resource, index) => {
    const field = indexPath('resources', index)
    const { transport } = resource
    if (transport.client === 'maestro') template(`${field}.transport.maestro.target_cluster`, transport.targetCluster)
    if (typeof resource.manifest === 'string') template(`${field}.manifest`, resource.manifest)
    else texts(`${field}.manifest`, resource.manifest)
    expression(`${field}.lifecycle.create.when.expression`, resource.createWhen)
    expression(`${field}.lifecycle.delete.when.expression`, resource.deleteWhen)
    template(`${field}.discovery.by_name`, resource.discovery?.byName)
    template(`${field}.discovery.namespace`, resource.discovery?.namespace)
    resource.nestedDiscoveries.forEach(({ discovery }, nested) => {
      const { byName, namespace } = discovery
      const of = `${indexPath(`${field}.nested_discoveries`, nested)}.discovery`
      template(`${of}.by_name`, byName)
      template(`${of}.namespace`, namespace)
    })
  })
  task.payloads.forEach((payload, index) => {
    const field = indexPath('post.payloads', index)
    expression(`${field}.when.expression`, payload.when)
    texts(`${field}.build`, payload.build)
  })
  task.postActions.forEach((action, index) => {
    const field = indexPath('post.post_actions', index)
    expression(`${field}.when.expression`, action.when)
    if (action.apiCall !== undefined) call(`${field}.api_call`, action.apiCall)
    template(`${field}.log.message`, action.log?.message)
  })
  throwErrors(file, errors)
}
