import type { ApiObject } from '@orrery/kube'
import { Option } from 'commander'
import { type Column, formatTable } from './table.js'

const FORMATS = ['table', 'wide', 'json', 'yaml'] as const

/** How a command prints what it found. */
export type OutputFormat = (typeof FORMATS)[number]

export interface OutputOptions {
  readonly output: OutputFormat
}

/** `-o`, for every command that prints something. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print it').choices(FORMATS).default('table')
}

export interface Shown<Row> {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  /** What programs get with `-o json` and `-o yaml`. Default: the rows, as a list of Kubernetes. */
  readonly document?: unknown
  /** What people read instead of a table without rows. */
  readonly empty?: string
}

/** Prints a table, or the same for programs. What stands in for an empty table goes to standard error. */
export async function show<Row>(output: OutputFormat, { rows, columns, document, empty }: Shown<Row>): Promise<void> {
  if (output === 'json' || output === 'yaml') return showDocument(output, document ?? listOf(rows))
  if (rows.length === 0 && empty !== undefined) {
    process.stderr.write(`${empty}\n`)
    return
  }
  process.stdout.write(
    formatTable(
      rows,
      columns.filter(({ wide }) => output === 'wide' || wide !== true),
    ),
  )
}

/** Prints one value for programs. */
export async function showDocument(output: 'json' | 'yaml', document: unknown): Promise<void> {
  process.stdout.write(await formatDocument(output, document))
}

/** A value as JSON or YAML. */
export async function formatDocument(output: 'json' | 'yaml', document: unknown): Promise<string> {
  if (output === 'json') return `${JSON.stringify(document, undefined, 2)}\n`
  // Only here is it needed, and every command would pay for it.
  const { stringify } = await import('yaml')
  return stringify(document, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })
}

/** A list of objects as kubectl prints one: without who owns which field. */
export function listOf(items: readonly unknown[]): object {
  return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items: items.map(withoutManagers) }
}

function withoutManagers(item: unknown): unknown {
  const { metadata, ...rest } = item as Partial<ApiObject>
  if (metadata?.managedFields === undefined) return item
  const { managedFields: _, ...kept } = metadata
  // In the order in which people expect them.
  const { apiVersion, kind, ...others } = rest
  return { apiVersion, kind, metadata: kept, ...others }
}
