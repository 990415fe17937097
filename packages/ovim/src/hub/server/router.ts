import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../access/identity.js'
import { Problem } from './problem.js'

/** What a handler gets. */
export interface Call {
  readonly request: IncomingMessage
  readonly path: string
  readonly query: URLSearchParams
  /** The variable parts of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly caller: Caller
  /** Aborted when the client is gone or the server stops. */
  readonly signal: AbortSignal
  /** The JSON of the body. */
  body(): Promise<unknown>
}

/** What a handler answers. */
export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Writes the body itself, until it resolves. */
  readonly stream?: (response: ServerResponse) => Promise<void>
}

export type Handle = (call: Call) => Promise<Answer>

/** A path, with `{name}` for variable parts, and its methods. */
export interface RouteSpec {
  readonly path: string
  readonly methods: Readonly<Record<string, Handle>>
}

/** A route that matches a path. */
export interface Match {
  readonly route: RouteSpec
  readonly params: Readonly<Record<string, string>>
}

/** Finds routes by path. */
export class Router {
  readonly #exact = new Map<string, RouteSpec>()
  readonly #variable: { readonly route: RouteSpec; readonly parts: readonly string[] }[] = []

  constructor(routes: readonly RouteSpec[]) {
    for (const route of routes) {
      if (route.path.includes('{')) this.#variable.push({ route, parts: route.path.split('/') })
      else this.#exact.set(route.path, route)
    }
  }

  find(path: string): Match | undefined {
    const exact = this.#exact.get(path)
    if (exact !== undefined) return { route: exact, params: {} }
    const given = path.split('/')
    for (const { route, parts } of this.#variable) {
      const params = matched(parts, given)
      if (params !== undefined) return { route, params }
    }
    return undefined
  }
}

/** The handler of a method. Throws a 405 with the methods that exist. */
export function handlerOf({ methods }: RouteSpec, method: string): Handle {
  const handle = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (handle !== undefined) return handle
  const allow = Object.keys(methods).join(', ')
  throw new Problem(405, `${method} is not allowed here: use ${allow}`, { headers: { allow } })
}

function matched(parts: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (parts.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of parts.entries()) {
    const value = given[index] as string
    if (!part.startsWith('{')) {
      if (part !== value) return undefined
      continue
    }
    if (value === '') return undefined
    try {
      params[part.slice(1, -1)] = decodeURIComponent(value)
    } catch {
      return undefined
    }
  }
  return params
}
