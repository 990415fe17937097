import { Operation } from '../../kinds/operation.js'
import { Problem } from '../server/problem.js'
import type { Answer, Call, RouteSpec } from '../server/router.js'
import type { UserContext } from './context.js'
import { ownerOf, parseId } from './ids.js'
import { operationJson } from './resources.js'

const MAX_LIST = 500

/** Operations, to follow what was accepted. */
export function operationRoutes(context: UserContext): RouteSpec[] {
  const list = async ({ caller, query }: Call): Promise<Answer> => {
    const [status, zone] = [query.get('status'), query.get('zone')]
    const all = await context.list(caller, Operation, query.get('organization'))
    const operations = all
      .filter(({ spec }) => zone === null || spec.zone === zone)
      .sort((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1))
      .map(operationJson)
      .filter((one) => status === null || (one as { status: string }).status === status)
    return { status: 200, body: { operations: operations.slice(0, MAX_LIST), total: operations.length } }
  }

  const get = async (call: Call): Promise<Answer> => {
    const { id = '' } = call.params
    try {
      return { status: 200, body: operationJson(await context.find(call.caller, Operation, id)) }
    } catch (error) {
      const expected = error instanceof Problem && error.status === 404 ? announced(id) : undefined
      if (expected === undefined) throw error
      return { status: 200, body: expected }
    }
  }

  /** An operation that was accepted and does not exist yet: its controller creates it, or says why it cannot. */
  const announced = (id: string): object | undefined => {
    const { namespace = '', name = '' } = parseId(Operation, id) ?? {}
    const owner = context.forecast.ownerOf(namespace, name)
    if (owner === undefined) return undefined
    const { metadata, status } = owner
    return {
      id,
      status: 'accepted',
      org_id: ownerOf(metadata.namespace),
      target: { kind: owner.kind, name: metadata.name },
      message: status?.message,
    }
  }

  return [
    { path: '/api/v1/operations', methods: { GET: list } },
    { path: '/api/v1/operations/{id}', methods: { GET: get } },
  ]
}
