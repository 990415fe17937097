import type { AdapterEvent } from '../run/event.js'
import type { ExecutionResult, Phase } from '../run/execution.js'
import type { RecordedRequest } from './dry-api.js'
import type { RecordedOperation } from './dry-works.js'

/** Everything that happened in a dry run. The keys are those of HyperFleet's adapter framework. */
export interface Trace {
  readonly event: { readonly id: string; readonly type: string }
  readonly status: ExecutionResult['status']
  readonly params: ExecutionResult['params']
  readonly preconditions: ExecutionResult['preconditions']
  readonly resources: ExecutionResult['resources']
  readonly discoveredResources: ExecutionResult['discovered']
  readonly postActions: ExecutionResult['postActions']
  readonly errors: ExecutionResult['errors']
  readonly apiRequests: readonly RecordedRequest[]
  readonly transportOperations: readonly RecordedOperation[]
  readonly skipReason?: string
}

export function traceOf(
  { id, type }: AdapterEvent,
  result: ExecutionResult,
  apiRequests: readonly RecordedRequest[],
  transportOperations: readonly RecordedOperation[],
): Trace {
  const { status, params, preconditions, resources, discovered, postActions, errors, skipReason } = result
  const { env: _, ...shown } = params
  return {
    event: { id, type },
    status,
    // The environment can have secrets, and nobody looks for it here.
    params: shown,
    preconditions,
    resources,
    discoveredResources: discovered,
    postActions,
    errors,
    apiRequests,
    transportOperations,
    ...(skipReason === undefined ? {} : { skipReason }),
  }
}

const indented = (value: unknown, spaces: number) =>
  JSON.stringify(value, undefined, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`)

/** The parameters that every event has: they do not explain a result. */
const GIVEN = new Set(['adapter', 'config', 'event'])

/** The trace for people. `verbose` adds bodies, manifests and objects. */
export function formatTrace(trace: Trace, verbose: boolean): string {
  const lines = [`Event ${trace.event.id} (${trace.event.type})`]
  const section = (title: string, phase: Phase, note: string, content: readonly string[]) => {
    const error = trace.errors[phase]
    lines.push('', `${title}: ${error === undefined ? note : 'failed'}`, ...content.map((line) => `  ${line}`))
    if (error !== undefined) lines.push(`  error: ${error}`)
  }
  const params = Object.entries(trace.params).filter(([name]) => !GIVEN.has(name))
  section(
    'Parameters',
    'param_extraction',
    `${params.length} resolved`,
    params.map(([name, value]) => `${name} = ${verbose ? indented(value, 4) : shortened(value)}`),
  )
  section('Preconditions', 'preconditions', preconditionNote(trace), [
    ...trace.preconditions.map(({ name, matched, error }) => `${name}: ${error ?? (matched ? 'met' : 'not met')}`),
  ])
  section(
    'Resources',
    'resources',
    trace.skipReason === undefined ? `${trace.resources.length} processed` : `skipped: ${trace.skipReason}`,
    trace.resources.map(({ name, namespace, resourceName, status, operation, reason, error }) => {
      const what = resourceName === '' ? name : `${name} (${pathOf(namespace, resourceName)})`
      return `${what}: ${status === 'failed' ? `failed: ${error}` : `${operation}: ${reason}`}`
    }),
  )
  section(
    'Post actions',
    'post_actions',
    `${trace.postActions.length} processed`,
    trace.postActions.map(
      ({ name, status, reason, error }) =>
        `${name}: ${[status, error ?? reason].filter((one) => one !== undefined).join(': ')}`,
    ),
  )
  lines.push('', `Requests: ${trace.apiRequests.length}`)
  for (const { method, url, statusCode, requestBody, responseBody } of trace.apiRequests) {
    lines.push(`  ${method} ${url} -> ${statusCode}`)
    if (verbose && requestBody !== undefined) lines.push(`    request: ${body(requestBody)}`)
    if (verbose && responseBody !== undefined) lines.push(`    response: ${body(responseBody)}`)
  }
  lines.push(...calls(trace, 'Maestro', verbose), ...calls(trace, 'Kubernetes', verbose))
  if (verbose) lines.push('', `Discovered: ${indented(trace.discoveredResources, 2)}`)
  lines.push('', `Result: ${trace.status}`)
  return `${lines.join('\n')}\n`
}

const pathOf = (namespace: string, name: string) => [namespace, name].filter((one) => one !== '').join('/')

/** The calls to one server; nothing if there were none. */
function calls({ transportOperations }: Trace, server: 'Maestro' | 'Kubernetes', verbose: boolean): string[] {
  const operations = transportOperations.filter(({ client }) => client === server.toLowerCase())
  if (operations.length === 0) return []
  const lines = ['', `Calls to ${server}: ${operations.length}`]
  for (const { operation, kind, namespace, name, result, manifest } of operations) {
    const what = [server === 'Maestro' ? '' : kind, pathOf(namespace, name)].filter((one) => one !== '').join(' ')
    lines.push(`  ${operation} ${what} -> ${result}`)
    if (verbose && manifest !== undefined) lines.push(`    manifest: ${indented(manifest, 4)}`)
  }
  return lines
}

function preconditionNote({ preconditions }: Trace): string {
  if (preconditions.length === 0) return 'none'
  return preconditions.every(({ matched }) => matched) ? 'all met' : 'not met'
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 100 ? `${text.slice(0, 97)}...` : text
}

function body(text: string): string {
  try {
    return indented(JSON.parse(text), 4)
  } catch {
    return text
  }
}
