import type { Exchange } from '../http/exchange.js'
import type { RequestTarget } from '../request/target.js'
import type { Endpoint } from './pipeline.js'
import { sendPageNotFound } from './reply.js'

/** A health check. */
export interface HealthCheck {
  readonly name: string
  /** Returns the problem, or undefined if there is none. */
  problem(): string | undefined
}

const ROOTS = ['/livez', '/readyz', '/healthz']

/** `/livez`, `/readyz`, `/healthz` and each check below them, with `?verbose` and `?exclude=`. */
export function healthEndpoint(
  checks: Readonly<Record<'livez' | 'readyz' | 'healthz', readonly HealthCheck[]>>,
): Endpoint {
  return {
    matches: (target) =>
      ROOTS.some((root) => target.path === root || target.path === `${root}/` || target.path.startsWith(`${root}/`)),
    serve(exchange, target) {
      const [, root = '', ...rest] = target.path.split('/')
      const all = checks[root as 'livez']
      // Names of checks contain slashes.
      const single = rest.join('/')
      const chosen = single === '' ? all : all.filter((check) => check.name === single)
      if (chosen.length === 0) sendPageNotFound(exchange)
      else report(exchange, target, root, chosen)
    },
  }
}

function report(exchange: Exchange, target: RequestTarget, root: string, checks: readonly HealthCheck[]): void {
  const lines: string[] = []
  const excluded = new Set(target.query.all('exclude'))
  let failed = false
  for (const check of checks) {
    if (excluded.delete(check.name)) {
      lines.push(`[+]${check.name} excluded: ok`)
      continue
    }
    const problem = check.problem()
    failed ||= problem !== undefined
    lines.push(problem === undefined ? `[+]${check.name} ok` : `[-]${check.name} failed: ${problem}`)
  }
  if (excluded.size > 0) {
    const names = [...excluded].sort().map((name) => JSON.stringify(name))
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(', ')}`)
  }
  if (failed) reply(exchange, 500, `${lines.join('\n')}\n${root} check failed\n`)
  else if (target.query.has('verbose')) reply(exchange, 200, `${lines.join('\n')}\n${root} check passed\n`)
  else reply(exchange, 200, 'ok')
}

function reply(exchange: Exchange, status: number, text: string): void {
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-cache, private',
    'X-Content-Type-Options': 'nosniff',
  }
  exchange.reply(status, headers, Buffer.from(text))
}
