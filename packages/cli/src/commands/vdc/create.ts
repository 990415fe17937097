import { NETWORK_POLICIES, type NewVirtualDataCenter, organizationNamespace, VirtualDataCenter } from '@orrery/ovim'
import { whenVdcSettled } from '@orrery/ovim/client'
import { Command, Option } from 'commander'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { nameList, namespacedName } from '../option-parsers.js'
import { addOrganizationOption, type OrganizationOptions, organizationOf } from '../organization-options.js'
import { waitUntilSettled } from '../settling.js'
import { type Wait, waitOption } from '../wait.js'
import { addQuotaOptions, type QuotaOptions, quotaOf } from './quota-options.js'

interface CreateOptions extends TargetOptions, OrganizationOptions, QuotaOptions {
  readonly zone?: string
  readonly placement?: { readonly namespace: string; readonly name: string }
  readonly networkPolicy?: 'default' | 'isolated'
  readonly catalogs?: readonly string[]
  readonly displayName?: string
  readonly wait?: Wait
}

/** `orrery vdc create`. */
export function createVdcCommand(): Command {
  const command = new Command('create')
    .description(
      'Create a virtual data center: a part of a cluster with a quota, for virtual machines of an organization.',
    )
    .argument('<vdc>', 'name of the virtual data center')
    .option('--zone <name>', 'zone: one of `orrery zone list`')
    .option('--placement <namespace/name>', 'use the first zone with room that a placement selects', namespacedName)
  return addTargetOptions(
    addOrganizationOption(
      addQuotaOptions(command)
        .addOption(
          new Option('--network-policy <policy>', 'isolated: reach only itself and DNS').choices(
            NETWORK_POLICIES.filter((policy) => policy !== 'custom'),
          ),
        )
        .option('--catalogs <names>', 'only templates of these catalogs: a,b', nameList)
        .option('--display-name <text>', 'name that user interfaces show')
        .addOption(waitOption('wait until it exists on its cluster'))
        .addHelpText(
          'after',
          `
Without --cpu, --memory and --storage there is no such limit. Only admins of the organization can create virtual data centers.

Examples:
  orrery vdc create dev --zone cluster1 --cpu 8 --memory 32Gi --vms 10 --wait
  orrery vdc create prod --placement org-acme/eu --network-policy isolated --org acme`,
        )
        .action(run),
    ),
  )
}

async function run(name: string, options: CreateOptions, command: Command): Promise<void> {
  const { zone, placement, wait } = options
  if ((zone === undefined) === (placement === undefined)) {
    command.error("error: set either '--zone <name>' or '--placement <namespace/name>'")
  }
  await withHub(options, async (client) => {
    const organization = await organizationOf(client, options)
    const metadata = { namespace: organizationNamespace(organization), name }
    await client.create(VirtualDataCenter, { metadata, spec: specOf(options) }, { fieldValidation: 'Strict' })
    const what = `vdc ${organization}/${name}`
    print(`${what} created`)
    if (wait === undefined) return
    await waitUntilSettled(what, wait, (follow) => whenVdcSettled(client, organization, name, follow))
  })
}

function specOf(options: CreateOptions): NewVirtualDataCenter['spec'] {
  const { zone, placement, networkPolicy, catalogs, displayName } = options
  const quota = quotaOf(options)
  return {
    ...(zone !== undefined && { zoneId: zone }),
    ...(placement !== undefined && { placementRef: placement }),
    ...(quota !== undefined && { quota }),
    ...(networkPolicy !== undefined && { networkPolicy }),
    ...(catalogs !== undefined && { catalogRestrictions: [...catalogs] }),
    ...(displayName !== undefined && { displayName }),
  }
}
