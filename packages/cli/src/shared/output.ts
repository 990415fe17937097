import type { ApiObject } from '@orrery/kinds'
import { printable } from '@orrery/kube/log'
import { Option } from 'commander'
import { note, printDocument, printText } from './print.js'
import { type Column, formatTable } from './table.js'

const FORMATS = ['table', 'wide', 'json', 'yaml'] as const

/** The output format of a command. */
export type OutputFormat = (typeof FORMATS)[number]

export interface OutputOptions {
  readonly output: OutputFormat
}

/** `-o`, for commands that print objects. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'output format').choices(FORMATS).default('table')
}

export interface Shown<Row> {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  /** The document for `-o json` and `-o yaml`. Default: the rows, as a Kubernetes List. */
  readonly document?: unknown
  /** Printed in place of an empty table. */
  readonly empty?: string
}

/** Prints a table or a document. The text for an empty table goes to standard error. */
export async function show<Row>(output: OutputFormat, { rows, columns, document, empty }: Shown<Row>): Promise<void> {
  if (output === 'json' || output === 'yaml') return showDocument(output, document ?? listOf(rows))
  if (rows.length === 0 && empty !== undefined) {
    note(empty)
    return
  }
  printText(
    formatTable(
      rows,
      columns.filter(({ wide }) => output === 'wide' || wide !== true),
    ),
  )
}

/** Prints a value as JSON or YAML. */
export async function showDocument(output: 'json' | 'yaml', document: unknown): Promise<void> {
  printDocument(await formatDocument(output, document))
}

/** A value as JSON or YAML. */
export async function formatDocument(output: 'json' | 'yaml', document: unknown): Promise<string> {
  if (output === 'json') return `${printable(JSON.stringify(document, undefined, 2))}\n`
  // Loaded on demand, so that other commands start faster.
  const { Scalar, stringify } = await import('yaml')
  const quoted = (_: unknown, value: unknown) => {
    if (typeof value !== 'string' || printable(value) === value) return value
    const scalar = new Scalar(value)
    scalar.type = Scalar.QUOTE_DOUBLE
    return scalar
  }
  return printable(stringify(document, quoted, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false }))
}

/** A List as kubectl prints it: without managedFields. */
export function listOf(items: readonly unknown[]): object {
  return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items: items.map(withoutManagers) }
}

function withoutManagers(item: unknown): unknown {
  const { metadata, ...rest } = item as Partial<ApiObject>
  if (metadata?.managedFields === undefined) return item
  const { managedFields: _, ...kept } = metadata
  // The order of fields that kubectl prints.
  const { apiVersion, kind, ...others } = rest
  return { apiVersion, kind, metadata: kept, ...others }
}
