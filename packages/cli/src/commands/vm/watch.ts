import { printable } from '@orrery/kube/log'
import { type MachineChange, watchMachines } from '@orrery/ovim/client'
import { Command, Option } from 'commander'
import { printDocument, printText } from '../../shared/print.js'
import { onStopSignal } from '../../shared/stop-signal.js'
import { type Column, formatTable } from '../../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { addOrganizationsOptions, type OrganizationsOptions, organizationsOf } from '../organization-options.js'
import { MACHINE_COLUMNS, ORGANIZATION_COLUMN } from './columns.js'

interface WatchOptions extends TargetOptions, OrganizationsOptions {
  readonly output: 'table' | 'json'
}

/** `orrery vm watch`. */
export function watchMachinesCommand(): Command {
  const command = new Command('watch')
    .description('Print virtual machines, then each change and the reason, until Ctrl-C.')
    .argument('[vm...]', 'names of virtual machines (default: all)')
    .addOption(
      new Option('-o, --output <format>', 'output format; json prints one line for each change')
        .choices(['table', 'json'])
        .default('table'),
    )
    .addHelpText(
      'after',
      `
Examples:
  orrery vm watch
  orrery vm watch web --org acme
  orrery vm watch -A -o json`,
    )
    .action(run)
  return addTargetOptions(addOrganizationsOptions(command))
}

async function run(names: readonly string[], options: WatchOptions): Promise<void> {
  const stop = new AbortController()
  onStopSignal({ stop: () => stop.abort() })
  await withHub(options, async (client) => {
    const organization = await organizationsOf(client, options)
    const columns = columnsFor(organization)
    const lineOf = (change: MachineChange) => `${formatTable([change], columns).split('\n').at(-2)}\n`
    if (options.output === 'table') printText(formatTable([], columns))
    const print = (change: MachineChange) => {
      const { request, type, explanation } = change
      if (names.length > 0 && !names.includes(request.metadata.name)) return
      const line = { type, why: explanation.text, object: request }
      printDocument(options.output === 'json' ? `${printable(JSON.stringify(line))}\n` : lineOf(change))
    }
    await watchMachines(client, organization, print, stop.signal)
  })
}

/** Rows are printed one by one: texts that are not longer stay in their columns. */
const WIDTHS: Readonly<Record<string, number>> = {
  event: 'MODIFIED'.length,
  org: 12,
  name: 12,
  status: 'provisioning'.length,
  vdc: 8,
  zone: 10,
  ip: 15,
}

function columnsFor(organization: string | undefined): readonly Column<MachineChange>[] {
  const columns: readonly Column<MachineChange>[] = [
    { title: 'event', value: ({ type }) => type },
    ...(organization === undefined ? [ORGANIZATION_COLUMN] : []),
    ...MACHINE_COLUMNS.filter(({ title, wide }) => title === 'why' || (wide !== true && title !== 'age')),
  ]
  return columns.map(({ title, value }) => {
    const width = WIDTHS[title] ?? title.length
    return { title: title.padEnd(width), value: (change) => String(value(change) ?? '<none>').padEnd(width) }
  })
}
