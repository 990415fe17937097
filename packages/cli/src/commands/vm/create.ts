import { readFile } from 'node:fs/promises'
import type { NewVirtualMachineRequest } from '@orrery/ovim'
import { createMachine, prepareMachine, whenMachineSettled } from '@orrery/ovim/client'
import { Command } from 'commander'
import { type OutputFormat, showDocument } from '../../shared/output.js'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { eachOf, namespacedName } from '../option-parsers.js'
import { addOrganizationOption, type OrganizationOptions, organizationOf } from '../organization-options.js'
import { waitUntilSettled } from '../settling.js'
import { type Wait, waitOption } from '../wait.js'
import { coreCount, labelMap, readText } from './parsers.js'

interface CreateOptions extends TargetOptions, OrganizationOptions {
  readonly template: string
  readonly vdc?: string
  readonly placement?: { readonly namespace: string; readonly name: string }
  readonly cpu?: number
  readonly memory?: string
  readonly storage?: string
  readonly network?: string
  readonly sshKey?: readonly string[]
  readonly cloudInit?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly stopped?: boolean
  readonly dryRun?: boolean
  readonly output?: OutputFormat
  readonly wait?: Wait
}

/** `orrery vm create`. */
export function createMachineCommand(): Command {
  const command = new Command('create')
    .description('Create a virtual machine from a template.')
    .argument('<vm>', 'name of the virtual machine')
    .requiredOption('--template <name>', 'template: one of `orrery template list`')
    .option('--vdc <name>', 'virtual data center (default: the only one of the organization)')
    .option(
      '--placement <namespace/name>',
      'use the first virtual data center with room in a cluster that a placement selects',
      namespacedName,
    )
    .option('--cpu <cores>', 'number of cores (default: that of the template)', coreCount)
    .option('--memory <quantity>', 'memory, such as 4Gi (default: that of the template)')
    .option('--storage <quantity>', 'size of the disk, such as 20Gi (default: that of the template)')
    .option('--network <name>', 'NetworkAttachmentDefinition (default: the networks of the template)')
    .option('--ssh-key <file>', 'file with a public key that may log in, or the key; can be repeated', eachOf)
    .option('--cloud-init <file>', 'file with user data for cloud-init, or - for standard input')
    .option('--labels <labels>', 'labels of the virtual machine on the cluster: a=b,c=d', labelMap)
    .option('--stopped', 'do not start it')
    .option('--dry-run', 'only check the request on the hub, and print it as YAML')
    .addOption(waitOption('wait until it runs, and print each step'))
    .addHelpText(
      'after',
      `
With --wait, the exit code is 1 if the hub refuses the virtual machine (quota, template), if creating it fails twice in a row, or if it
does not run in time. It then still exists: see \`orrery vm describe\`.

Examples:
  orrery vm create web --template cirros --wait
  orrery vm create db --template ubuntu --cpu 4 --memory 8Gi --storage 40Gi --ssh-key ~/.ssh/id_ed25519.pub
  orrery vm create web --template cirros --vdc edge --cloud-init user-data.yaml --stopped
  orrery vm create web --template cirros --dry-run > web.yaml`,
    )
    .action(run)
  return addTargetOptions(addOrganizationOption(command))
}

async function run(name: string, options: CreateOptions, command: Command): Promise<void> {
  const { vdc, placement, dryRun = false, wait } = options
  if (vdc !== undefined && placement !== undefined) {
    command.error("error: option '--vdc <name>' cannot be used with option '--placement <namespace/name>'")
  }
  if (dryRun && wait !== undefined) command.error("error: option '--wait' cannot be used with option '--dry-run'")
  const spec = await specOf(options)
  await withHub(options, async (client) => {
    const organization = await organizationOf(client, options)
    const draft = await prepareMachine(client, { organization, name, spec })
    const created = await createMachine(client, draft, { dryRun })
    if (dryRun) {
      const { apiVersion, kind } = created
      await showDocument('yaml', { apiVersion, kind, ...draft })
      return
    }
    const what = `vm ${organization}/${name}`
    print(`${what} created`)
    if (wait === undefined) return
    await waitUntilSettled(what, wait, (follow) => whenMachineSettled(client, organization, name, follow))
  })
}

async function specOf(options: CreateOptions): Promise<NewVirtualMachineRequest['spec']> {
  const { template, vdc, placement, cpu, memory, storage, network, sshKey, cloudInit, labels, stopped } = options
  return {
    template,
    ...(vdc !== undefined && { vdc }),
    ...(placement !== undefined && { placementRef: placement }),
    ...(cpu !== undefined && { cpu }),
    ...(memory !== undefined && { memory }),
    ...(storage !== undefined && { storage }),
    ...(network !== undefined && { networkName: network }),
    ...(sshKey !== undefined && { sshKeys: await Promise.all(sshKey.map(publicKey)) }),
    ...(cloudInit !== undefined && { cloudInit: await readText(cloudInit) }),
    ...(labels !== undefined && { labels }),
    ...(stopped === true && { powerState: 'Stopped' as const }),
  }
}

/** A public key, or the text of the file with it. */
async function publicKey(text: string): Promise<string> {
  return /^(ssh-|ecdsa-|sk-)/.test(text) ? text : (await readFile(text, 'utf8')).trim()
}
