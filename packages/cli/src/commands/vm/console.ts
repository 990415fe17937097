import type { FleetDirectory } from '@orrery/fleet'
import { type MachineDetails, machineDetails } from '@orrery/ovim/client'
import { Command } from 'commander'
import { printText } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { shellWord } from '../option-parsers.js'
import { addOrganizationOption, type OrganizationOptions, organizationOf } from '../organization-options.js'

const TEXTS = {
  console: 'Print the command that opens the serial console of a virtual machine.',
  vnc: 'Print the command that opens the screen of a virtual machine.',
} as const

/** `orrery vm console` and `orrery vm vnc`. */
export function consoleCommand(what: keyof typeof TEXTS): Command {
  const command = new Command(what)
    .description(TEXTS[what])
    .argument('<vm>', 'name of the virtual machine')
    .addHelpText(
      'after',
      `
The command uses virtctl of KubeVirt, which connects to the cluster: you need access to the cluster, not only to the hub.

Examples:
  orrery vm ${what} web
  $(orrery vm ${what} web)`,
    )
    .action((name: string, options: TargetOptions & OrganizationOptions) => run(what, name, options))
  return addTargetOptions(addOrganizationOption(command))
}

async function run(
  what: keyof typeof TEXTS,
  name: string,
  options: TargetOptions & OrganizationOptions,
): Promise<void> {
  await withHub(options, async (client, fleet) => {
    const details = await machineDetails(client, await organizationOf(client, options), name, new Date())
    printText(`${virtctl(what, details, fleet).map(shellWord).join(' ')}\n`)
  })
}

/** The context of a cluster has its name, as in the kubeconfig of a fleet. */
function virtctl(what: string, { request, zone }: MachineDetails, fleet: FleetDirectory | undefined): string[] {
  const { metadata, status = {} } = request
  const { vmName = metadata.name, namespace, phase = 'pending' } = status
  if (namespace === undefined || (phase !== 'running' && phase !== 'paused')) {
    throw new Error(`virtual machine ${metadata.name} is ${phase}: see \`orrery vm describe ${metadata.name}\``)
  }
  const cluster = zone?.spec?.clusterName ?? status.zone ?? ''
  const kubeconfig = fleet === undefined ? [] : ['--kubeconfig', fleet.kubeconfig]
  return ['virtctl', what, vmName, '--namespace', namespace, '--context', cluster, ...kubeconfig]
}
